import type { JSX } from 'preact'
import { type EntityRef, useCampaign } from '../shell/context.ts'
import { LinkButton } from './button.tsx'
import { Secret } from './dm-only.tsx'
import { useReveal } from './entity-actions.tsx'
import { Menu } from './menu.tsx'
import { Prose } from './prose.tsx'

/** What may be done with a thing on its page: changing it, and for the DM showing, hiding and throwing it away. */
export function EntityActions({
  thing,
  hidden,
  them,
  edit,
  onTrash,
}: {
  thing: EntityRef
  hidden: boolean
  /** How one speaks of it. */
  them: 'it' | 'them'
  /** The page to change it on. */
  edit: string
  onTrash: () => void
}): JSX.Element {
  const { isDm, mayEdit, mayWrite } = useCampaign()
  const visibility = useReveal()
  return (
    <>
      {mayEdit && (
        <LinkButton variant="primary" icon="pen" to={edit}>
          {isDm ? 'Edit' : 'Propose a change'}
        </LinkButton>
      )}
      {isDm && mayWrite && (
        <Menu
          label={`More about ${thing.label}`}
          items={[
            hidden
              ? { icon: 'eye', word: `Show ${them} to the party`, run: () => visibility.reveal(thing) }
              : { icon: 'eyeoff', word: `Hide ${them} from players`, run: () => visibility.hide(thing) },
            { icon: 'trash', word: 'Move to trash', danger: true, run: onTrash },
          ]}
        />
      )}
    </>
  )
}

/** The DM's words about a thing, and the way to put them into the open text; nothing for anybody else. */
export function EntitySecret({
  thing: { body, dmSecret },
  onTell,
}: {
  thing: { readonly body: string | null; readonly dmSecret?: string | null | undefined }
  /** Saves the open text with the secret words in it, and no secret any more. */
  onTell: (change: { readonly body: string; readonly dmSecret: null }) => Promise<unknown>
}): JSX.Element | null {
  const { isDm, mayWrite } = useCampaign()
  const visibility = useReveal()
  if (!isDm || !dmSecret) return null
  const tell = async () => {
    if (await visibility.confirmPublish())
      await onTell({ body: [body, dmSecret].filter(Boolean).join('\n\n'), dmSecret: null })
  }
  return (
    <Secret onReveal={mayWrite ? () => void tell() : undefined}>
      <Prose text={dmSecret} />
    </Secret>
  )
}
