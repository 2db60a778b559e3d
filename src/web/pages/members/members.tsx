import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Member, MintedInvite, Role } from '../../api/contract.ts'
import { Avatar } from '../../kit/avatar.tsx'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { EnumField, SelectField, Switch } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count, day, when } from '../../kit/format.ts'
import { roles } from '../../kit/labels.ts'
import { ListFooter, useFilteredList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Stepper } from '../../kit/number-field.tsx'
import { PageHeader, Section } from '../../kit/page.tsx'
import { useMembers } from '../../kit/references.tsx'
import { useAction, useSave, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign, useMe, usePages, usePageTitle, useQuery } from '../../shell/context.ts'
import { paths } from '../../shell/links.ts'
import { InviteLink, WaysIn } from './ways-in.tsx'
import './styles.ts'

const textOf = (member: Member) => `${member.username} ${roles[member.role]}`

export function MembersPage(): JSX.Element {
  const me = useMe()
  const { campaignId, campaign, isDm, mayWrite } = useCampaign()
  const list = useFilteredList('list_members', { campaignId, limit: 100 }, textOf)
  const [inviting, setInviting] = useState(false)
  usePageTitle('Members', campaign.name)
  return (
    <>
      <PageHeader title="Members">
        {isDm && mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        )}
      </PageHeader>
      <ListBody list={list} shown={list.shown} one="member" many="members" filterFrom={9} placeholder="A name">
        <div class="rows">
          {list.shown.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </div>
      </ListBody>
      {isDm && <Invites />}
      {isDm && me?.admin && <WaysIn />}
      <MyConsent />
      <Leaving />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberRow({ member }: { member: Member }): JSX.Element {
  const { campaign, isDm, mayWrite } = useCampaign()
  const me = useMe()?.id
  const { confirmations } = useApp()
  const act = useAction()
  const [changing, setChanging] = useState(false)
  const mine = member.userId === me

  const remove = async () => {
    if (!member.accepted) {
      await act('remove_member', { memberId: member.id }, { message: `${member.username} is not asked any more.` })
      return
    }
    const yes = await confirmations.ask({
      title: `Take ${member.username} off the table?`,
      text: `They can no longer open ${campaign.name}. What they wrote stays.`,
      yes: `Remove ${member.username}`,
      danger: true,
    })
    if (yes) await act('remove_member', { memberId: member.id }, { message: `${member.username} has left the table.` })
  }
  return (
    <div class="row member">
      <Avatar name={member.username} />
      <span class="grow">
        <strong>
          {member.username}
          {mine && <span class="faint"> (you)</span>}
        </strong>
        <span class="secondary">
          {roles[member.role]}
          {!member.accepted && ' · has not accepted yet'}
        </span>
      </span>
      {member.aiConsent !== undefined && isDm && (
        <span class={member.aiConsent ? 'word ok' : 'word faint'}>
          {member.aiConsent ? 'Allows outside AI' : 'No outside AI'}
        </span>
      )}
      {isDm && mayWrite && (
        <Menu
          label={`More about ${member.username}`}
          items={[
            { icon: 'swap', word: 'Change the role', run: () => setChanging(true) },
            !mine && {
              icon: 'x',
              word: member.accepted ? 'Remove from the campaign' : 'Take the invitation back',
              danger: true,
              run: remove,
            },
          ]}
        />
      )}
      {changing && <RoleDialog member={member} onClose={() => setChanging(false)} />}
    </div>
  )
}

const roleHints: Readonly<Record<Role, string>> = {
  dm: 'Sees everything, the blue ink included, and changes the tale at once.',
  player: 'Plays, writes notes, ticks steps and proposes changes.',
  viewer: 'Reads what the players know.',
}

function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }): JSX.Element {
  const keep = useSave()
  const submitting = useSubmit()
  const [role, setRole] = useState(member.role)
  const save = async () => {
    const input = { memberId: member.id, expectedRevision: member.revision, role }
    if (await submitting.run(() => keep('update_member', input))) onClose()
  }
  return (
    <Dialog title={`What is ${member.username} here?`} onClose={onClose}>
      <Form operation="update_member" submitting={submitting} onSubmit={() => void save()} class="stack">
        <EnumField label="Role" name="role" value={role} onValue={setRole} words={roles} hint={roleHints[role]} />
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button variant="primary" type="submit" busy={submitting.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function InviteDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const submitting = useSubmit()
  const [role, setRole] = useState<'player' | 'viewer'>('player')
  const [days, setDays] = useState('14')
  const [uses, setUses] = useState<number | null>(10)
  const [made, setMade] = useState<MintedInvite | null>(null)

  const make = () =>
    submitting.run(async () => {
      const input = { campaignId, role, expiresInDays: Number(days), ...(uses === null ? {} : { maxUses: uses }) }
      const written = await write('create_invite', input)
      if (written.kind === 'done') setMade(written.value)
    })
  if (made) {
    return (
      <Dialog title="Send them this" onClose={onClose}>
        <div class="stack">
          <p class="soft">
            Whoever opens it can join as a {roles[made.role].toLowerCase()}, {count(made.maxUses, 'time')}, until{' '}
            {day(made.expiresAt)}. It is shown this once.
          </p>
          <InviteLink path={made.path} />
          <div class="actions">
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <Form operation="create_invite" submitting={submitting} onSubmit={() => void make()} class="stack">
        <SelectField
          label="They come as"
          value={role}
          onValue={setRole}
          options={[
            { value: 'player', word: roles.player },
            { value: 'viewer', word: roles.viewer },
          ]}
          hint={roleHints[role]}
        />
        <div class="field-pair">
          <SelectField
            label="The link holds for"
            value={days}
            onValue={setDays}
            options={['1', '7', '14', '30', '90'].map((value) => ({ value, word: count(Number(value), 'day') }))}
          />
          <Stepper
            label="How many may use it"
            name="maxUses"
            min={1}
            max={50}
            required
            value={uses}
            onValue={setUses}
          />
        </div>
        <FormError error={submitting.error} />
        <div class="actions">
          <Button onClick={onClose}>Not now</Button>
          <Button variant="primary" type="submit" icon="link" busy={submitting.busy}>
            Make the link
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function Invites(): JSX.Element | null {
  const { campaignId, mayWrite } = useCampaign()
  const act = useAction()
  const list = usePages('list_invites', { campaignId, limit: 50 })
  if (list.items.length === 0) return null
  return (
    <Section title="Open invitations">
      <div class="rows">
        {list.items.map((invite) => (
          <div key={invite.id} class="row">
            <span class="grow">
              <strong>For a {roles[invite.role].toLowerCase()}</strong>
              <span class="secondary">
                Made {when(invite.createdAt)}, used {invite.uses} of {count(invite.maxUses, 'time')}, open until{' '}
                {day(invite.expiresAt)}
              </span>
            </span>
            {mayWrite && (
              <Button
                variant="danger-quiet"
                onClick={() =>
                  void act(
                    'revoke_invite',
                    { inviteId: invite.id },
                    { message: 'This invitation opens nothing any more.' },
                  )
                }
              >
                Revoke
              </Button>
            )}
          </div>
        ))}
      </div>
      <ListFooter list={list} shown={list.items.length} />
    </Section>
  )
}

/** One's own word on outside AI (SPEC 2.2). Nobody else can give it. */
function MyConsent(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const act = useAction()
  const { data: mine } = useQuery('get_my_ai_consent', { campaignId })
  if (!mine) return null
  return (
    <section class="consent">
      <h2 class="h3">Outside AI and your words</h2>
      <Switch
        label="Allow external AI use of my authored source notes"
        hint={mine.covers}
        checked={mine.consent}
        onValue={(consent) =>
          void act(
            'set_my_ai_consent',
            { campaignId, consent },
            {
              ahead: {
                what: 'Your word',
                show: (cache) => [
                  cache.one('get_my_ai_consent', { campaignId }).overlay((now) => ({ ...now, consent })),
                ],
              },
              message: consent
                ? 'Allowed. You can take it back here at any time.'
                : 'Taken back. None of your notes go out.',
            },
          )
        }
      />
      {mine.policy === 'disabled' && (
        <p class="small soft">
          The DM has closed this campaign to outside AI, so no notes go out whatever is chosen here.
        </p>
      )}
    </section>
  )
}

/** The way out; not for the only DM, without whom nobody could let anybody in again. */
function Leaving(): JSX.Element | null {
  const { campaignId, campaign, isDm } = useCampaign()
  const dms = useMembers().filter(({ role, accepted }) => role === 'dm' && accepted)
  const { confirmations } = useApp()
  const act = useAction()
  const [, navigate] = useLocation()
  const leave = async () => {
    const yes = await confirmations.ask({
      title: `Leave ${campaign.name}?`,
      text: 'What you wrote stays with the table. To come back you need a new invitation.',
      yes: 'Leave the campaign',
      danger: true,
    })
    if (yes && (await act('leave_campaign', { campaignId }, { message: `You have left ${campaign.name}.` }))) {
      navigate(paths.campaigns)
    }
  }
  if (isDm && dms.length < 2) return null
  return (
    <p class="danger-zone">
      <Button variant="danger-quiet" icon="out" class="outdent" onClick={() => void leave()}>
        Leave this campaign
      </Button>
    </p>
  )
}
