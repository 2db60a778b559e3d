import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Item } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { Pips } from '../dice/pips.tsx'

/** Something to be rolled from a sheet. */
export type Wanted =
  | { readonly kind: 'check'; readonly characterId: number; readonly checkId: string; readonly name: string }
  | {
      readonly kind: 'dice'
      readonly characterId: number
      readonly expression: string
      readonly name: string
      /** What is rolled after it. */
      readonly next?: Wanted
    }

export interface Fallen {
  readonly roll: Item<'list_dice_rolls'>
  readonly says: string
  readonly next: Wanted | null
}

/** Rolls on the server and hands on what fell. */
export function useThrow(onThrown: (fallen: Fallen) => void): (wanted: Wanted) => Promise<void> {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const act = useAction()
  return async (wanted) => {
    if (!mayWrite && !isDm) return
    const written =
      wanted.kind === 'check'
        ? await act('roll_check', { characterId: wanted.characterId, checkId: wanted.checkId })
        : await act('roll_dice', {
            campaignId,
            characterId: wanted.characterId,
            expression: wanted.expression,
            label: wanted.name,
          })
    if (written?.kind !== 'done' || written.value.roll === null) return
    const next = wanted.kind === 'dice' ? (wanted.next ?? null) : null
    onThrown({ roll: written.value.roll, says: written.value.says, next })
  }
}

/** How long the last roll stands, unless another follows from it. */
const shownMs = 8000

/** What was just rolled, and the roll that follows from it, under the same thumb. */
export function Echo({
  fallen,
  onThrown,
  onGone,
}: {
  fallen: Fallen
  onThrown: (fallen: Fallen) => void
  onGone: () => void
}): JSX.Element {
  const throwNext = useThrow(onThrown)
  const { roll, next } = fallen
  useEffect(() => {
    if (next !== null) return
    const timer = setTimeout(onGone, shownMs)
    return () => clearTimeout(timer)
  }, [roll.id])
  return (
    <div class="echo" aria-live="polite">
      <output>{roll.total}</output>
      <p>
        <strong>{[roll.label ?? roll.expression, roll.outcomeSays].filter(Boolean).join(': ')}</strong>
        <Pips terms={roll.terms} />
      </p>
      {next === null ? (
        <IconButton icon="x" label="Put it away" onClick={onGone} />
      ) : (
        <Button variant="primary" onClick={() => void throwNext(next)}>
          {next.kind === 'dice' ? `Roll ${next.expression}` : next.name}
        </Button>
      )}
    </div>
  )
}
