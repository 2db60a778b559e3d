import type { JSX } from 'preact'
import { useCampaign } from '../shell/context.ts'
import { LinkButton } from './button.tsx'
import { Menu } from './menu.tsx'
import { Prose } from './prose.tsx'
import { Secret } from './secret.tsx'
import { type Named, useVeil } from './things.tsx'

/** What may be done with a thing on its page: changing it, and for the DM showing, hiding and throwing it away. */
export function ThingActs({
  thing,
  hidden,
  them,
  edit,
  onTrash,
}: {
  thing: Named
  hidden: boolean
  /** How one speaks of it. */
  them: 'it' | 'them'
  /** The page to change it on. */
  edit: string
  onTrash: () => void
}): JSX.Element {
  const { isDm, mayShape, mayWrite } = useCampaign()
  const veil = useVeil()
  return (
    <>
      {mayShape && (
        <LinkButton look="act" icon="pen" to={edit}>
          {isDm ? 'Edit' : 'Propose a change'}
        </LinkButton>
      )}
      {isDm && mayWrite && (
        <Menu
          label={`More about ${thing.label}`}
          items={[
            hidden
              ? { icon: 'eye', word: `Show ${them} to the party`, run: () => veil.reveal(thing) }
              : { icon: 'eyeoff', word: `Hide ${them} from players`, run: () => veil.hide(thing) },
            { icon: 'trash', word: 'Move to trash', harm: true, run: onTrash },
          ]}
        />
      )}
    </>
  )
}

/** The DM's words about a thing, and the way to put them into the open text; nothing for anybody else. */
export function ThingSecret({
  thing: { body, dmSecret },
  onTell,
}: {
  thing: { readonly body: string | null; readonly dmSecret?: string | null | undefined }
  /** Saves the open text with the secret words in it, and no secret any more. */
  onTell: (change: { readonly body: string; readonly dmSecret: null }) => Promise<unknown>
}): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const veil = useVeil()
  if (!isDm || !dmSecret) return null
  const tell = async () => {
    if (await veil.confess()) await onTell({ body: [body, dmSecret].filter(Boolean).join('\n\n'), dmSecret: null })
  }
  return (
    <Secret onReveal={mayWrite ? () => void tell() : undefined}>
      <Prose text={dmSecret} />
    </Secret>
  )
}
