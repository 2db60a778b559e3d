import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { AuditChange, AuditRecord, Difference, EntityName } from '../../api/contract.ts'
import { entityLabel } from '../../kinds.ts'
import { Button } from '../../kit/button.tsx'
import { Choice } from '../../kit/choice.tsx'
import { Differences } from '../../kit/diff.tsx'
import { capitalize, when } from '../../kit/format.ts'
import { useKept } from '../../kit/hooks.ts'
import { Icon } from '../../kit/icon.tsx'
import { operationLabel, proposalTitle } from '../../kit/labels.ts'
import { LoadError, Loading } from '../../kit/page.tsx'
import { nameOf, useMembers } from '../../kit/references.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, useQuery } from '../../shell/context.ts'
import { entityPath } from '../../shell/links.ts'
import { KindChoice } from './kind-choice.tsx'
import { SettingsList } from './settings-list.tsx'

/** The proposal that was filed instead of the change itself; undefined where the change was made. */
const filedIn = (record: AuditRecord) =>
  record.operation === 'create_proposal'
    ? undefined
    : record.entities.find(({ entityType, kind }) => entityType === 'proposal' && kind === 'create')

const whatWasDone = (record: AuditRecord) =>
  filedIn(record) ? `asks the DM for a change: ${operationLabel(record.operation)}` : operationLabel(record.operation)

export function History(): JSX.Element {
  const [open, setOpen] = useState<number | null>(null)
  const [whose, setWhose] = useKept('whose', '')
  const [kind, setKind] = useKept('kind', '')
  const members = useMembers()
  return (
    <SettingsList
      title="History"
      list="list_audit_records"
      one="change"
      many="changes"
      placeholder="A name, what was done, why"
      empty={{
        title: 'Nothing has happened yet',
        text: 'Every change is written down here, with who made it, and can be undone.',
      }}
      by={{
        ...(whose === '' ? {} : { actorUserId: Number(whose) }),
        ...(kind === '' ? {} : { entityType: kind as EntityName }),
      }}
      views={
        <div class="choices">
          <Choice
            label="Whose changes"
            value={whose}
            onValue={setWhose}
            options={[
              { value: '', word: 'Everybody' },
              ...members.map(({ userId, username }) => ({ value: String(userId), word: username })),
            ]}
          />
          <KindChoice value={kind} onValue={setKind} />
        </div>
      }
      timeline
    >
      {(record) => (
        <li key={record.id} class={record.revertedByRecordId === null ? 'big' : undefined}>
          <span class="when">{when(record.at)}</span>
          <RecordSummary record={record} />
          <button
            type="button"
            class="more plain-button"
            aria-expanded={open === record.id}
            onClick={() => setOpen(open === record.id ? null : record.id)}
          >
            {open === record.id ? 'Fold it up' : 'See the words'}
            <Icon name={open === record.id ? 'up' : 'down'} size="s" />
          </button>
          {open === record.id && <RecordDetail id={record.id} />}
        </li>
      )}
    </SettingsList>
  )
}

const doorLabels: Readonly<Record<string, string>> = {
  mcp: 'through an assistant',
  seat: 'by the AI seat',
  system: 'by itself',
}

/** Who did what, through what, and why. */
function RecordSummary({ record }: { record: AuditRecord }): JSX.Element {
  const { campaignId } = useCampaign()
  const filed = filedIn(record)
  const named = record.entities.slice(0, 3).flatMap(({ entityType, entityId, kind, title }) => {
    // What is in the trash has no page; the link is for what is there.
    const to = kind === 'trash' ? null : entityPath(campaignId, entityType, entityId)
    // Of a proposal that was filed the sentence says what it asks for, and the link beside it leads there.
    if (!title || (entityType === 'proposal' && entityId === filed?.entityId)) return []
    const named = entityType === 'proposal' ? proposalTitle(title) : title
    return [{ key: `${entityType} ${entityId}`, to, title: named }]
  })
  const through = [doorLabels[record.door], record.clientId].filter(Boolean).join(', ')
  return (
    <span>
      <strong>{record.actorUser?.title ?? 'Somebody'}</strong> {whatWasDone(record)}
      {filed && (
        <>
          {' '}
          <Link href={entityPath(campaignId, 'proposal', filed.entityId) ?? ''}>Read it</Link>
        </>
      )}
      {named.length > 0 && (
        <>
          :{' '}
          {named.map(({ key, to, title }, index) => (
            <span key={key}>
              {index > 0 && ', '}
              {to ? <Link href={to}>{title}</Link> : title}
            </span>
          ))}
        </>
      )}
      {record.proposedByUserId !== null && <span class="soft"> as {nameOf(record.proposedByUser)} asked</span>}
      {through && <span class="soft"> {through}</span>}
      {record.revertedByRecordId !== null && <span class="chip">Undone</span>}
      {record.reason && <span class="secondary">“{record.reason}”</span>}
    </span>
  )
}

const wordIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Fields that change with every change and tell nothing. */
const silent = new Set(['revision', 'updatedAt', 'createdAt', 'id', 'campaignId', 'deletedAt', 'position'])

function differenceOf({ fields, before, after }: AuditChange): Difference[] {
  const named = fields.length > 0 ? fields : Object.keys(after ?? before ?? {})
  return named
    .filter((field) => !silent.has(field))
    .map((field) => ({ field, before: before?.[field] ?? null, after: after?.[field] ?? null }))
}

function RecordDetail({ id }: { id: number }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const { data: record, error } = useQuery('get_audit_record', { auditRecordId: id })
  if (!record) return error ? <LoadError error={error} /> : <Loading />

  const revert = async () => {
    const yes = await confirmations.ask({
      title: 'Undo this?',
      text: 'Everything that it changed becomes as it was. The history keeps both.',
      yes: 'Undo it',
    })
    if (yes) await act('revert_change', { auditRecordId: id }, { message: 'Undone.' })
  }
  const changes = record.changes ?? []
  return (
    <div class="panel stack opened">
      {changes.map((change) => {
        const { entityType, entityId } = change
        const to = entityPath(campaignId, entityType, entityId)
        const known = record.entities.find((one) => one.entityType === entityType && one.entityId === entityId)
        // What is not there any more was called as its image says.
        const image = change.after ?? change.before
        const word = known?.title ?? wordIn(image?.name ?? image?.title) ?? capitalize(entityLabel(entityType))
        return (
          <section key={change.id} class="stack">
            <p class="label">{to ? <Link href={to}>{word}</Link> : word}</p>
            {change.before === null && change.after === null ? (
              <p class="soft small">
                {change.fields.length > 0
                  ? 'The words of it are not kept here.'
                  : change.kind === 'trash'
                    ? 'Moved to the trash.'
                    : 'Nothing more is kept of it.'}
              </p>
            ) : (
              <Differences list={differenceOf(change)} names={record.names} />
            )}
          </section>
        )
      })}
      {changes.length === 0 && <p class="soft small">Nothing more is kept of it.</p>}
      {record.revertible && record.revertedByRecordId === null && mayWrite && (
        <div class="line">
          <Button icon="undo" onClick={() => void revert()}>
            Undo it
          </Button>
        </div>
      )}
    </div>
  )
}
