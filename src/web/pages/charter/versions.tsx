import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Item } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Differences } from '../../kit/diff.tsx'
import { when } from '../../kit/format.ts'
import { fieldLabel } from '../../kit/labels.ts'
import { LoadError, Loading } from '../../kit/page.tsx'
import { useCampaign, usePages, useQuery } from '../../shell/context.ts'

type Revision = Item<'list_revisions'>

/** What changed in the charter and when, each version one press away. */
export function Versions({ charterId }: { charterId: number }): JSX.Element | null {
  const { campaignId } = useCampaign()
  const list = usePages('list_revisions', { campaignId, entityType: 'charter', entityId: charterId, limit: 20 })
  const [open, setOpen] = useState<Revision | null>(null)
  if (list.items.length === 0) return null
  return (
    <section>
      <h2 class="label">What changed</h2>
      <ol class="timeline">
        {list.items.map((each, index) => (
          <li key={each.id} class={index === 0 ? 'big' : undefined}>
            <span class="when">
              Version {each.revision}, {when(each.at)}
            </span>
            {index === 0 ? (
              wordsOf(each)
            ) : (
              <button type="button" class="plain-button" onClick={() => setOpen(each)}>
                {wordsOf(each)}
              </button>
            )}
          </li>
        ))}
      </ol>
      {open && <VersionDialog version={open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function wordsOf({ kind, fields }: Revision): string {
  return kind === 'create' ? 'Written' : fields.map((field) => fieldLabel(field)).join(', ')
}

function VersionDialog({ version, onClose }: { version: Revision; onClose: () => void }): JSX.Element {
  const { data, error } = useQuery('get_revision', { revisionId: version.id })
  return (
    <Dialog title={`From version ${version.revision} to now`} onClose={onClose}>
      {data ? (
        data.changes.length === 0 ? (
          <p class="soft">It says what it says now.</p>
        ) : (
          <Differences list={data.changes} names={data.names} />
        )
      ) : error ? (
        <LoadError error={error} within />
      ) : (
        <Loading />
      )}
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
