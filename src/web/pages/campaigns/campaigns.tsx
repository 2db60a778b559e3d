import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { Campaign } from '../../api/contract.ts'
import { Button, LinkButton, MoreLink } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { when } from '../../kit/format.ts'
import { campaignStatuses, roles } from '../../kit/labels.ts'
import { ListFooter, useFilteredList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { BackLink, EmptyState, PageHeader } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useAction, useWrite } from '../../shell/actions.ts'
import { usePages, usePageTitle } from '../../shell/context.ts'
import { campaignPath, coverImage, paths } from '../../shell/links.ts'
import { SceneField } from '../campaign/scene-field.tsx'
import { Invitations } from './invitations.tsx'

const textOf = (campaign: Campaign) => [campaign.name, campaign.description, campaign.ruleSystem].join(' ')

export function Campaigns(): JSX.Element {
  const list = useFilteredList('list_campaigns', { limit: 100 }, textOf)
  usePageTitle('Campaigns')
  if (!list.waiting && !list.error && list.items.length === 0) return <NoCampaigns />
  return (
    <>
      <Invitations />
      <PageHeader title="Campaigns">
        <LinkButton variant="primary" icon="plus" to={paths.newCampaign}>
          New campaign
        </LinkButton>
      </PageHeader>
      <ListBody
        list={list}
        shown={list.shown}
        one="campaign"
        many="campaigns"
        filterFrom={7}
        placeholder="Title or anything said of it"
      >
        <div class="campaign-grid">
          {list.shown.map((campaign) => (
            <Link key={campaign.id} href={campaignPath(campaign.id)} class="campaign-card">
              <span class="cover">
                <img {...coverImage(campaign, 'card')} alt="" loading="lazy" />
              </span>
              <span>
                <strong>{campaign.name}</strong>
                <br />
                <span class="small soft">
                  {roles[campaign.myRole]} · {campaignStatuses[campaign.status].toLowerCase()}
                </span>
                {campaign.description && (
                  <>
                    <br />
                    <span class="small faint">{excerpt(campaign.description, 90)}</span>
                  </>
                )}
              </span>
            </Link>
          ))}
        </div>
      </ListBody>
      <p class="section line">
        <MoreLink to={paths.bringHome}>Bring one home</MoreLink>
        <MoreLink to={paths.trashedCampaigns}>Campaigns in the trash</MoreLink>
      </p>
    </>
  )
}

function NoCampaigns(): JSX.Element {
  return (
    <>
      <Invitations />
      <PageHeader title="Campaigns" />
      <EmptyState
        title="An empty shelf"
        action={
          <span class="line">
            <LinkButton variant="primary" icon="quill" to={paths.newCampaign}>
              Begin a campaign
            </LinkButton>
            <TrySample />
          </span>
        }
      >
        Begin a tale of your own, look around in one that is there already, or open the link that your DM sent you.
      </EmptyState>
      <p class="line">
        <MoreLink to={paths.bringHome}>Bring one home from a file</MoreLink>
        <MoreLink to={paths.trashedCampaigns}>Campaigns in the trash</MoreLink>
      </p>
    </>
  )
}

/** A campaign that is there already, to look around in and to break. */
function TrySample(): JSX.Element {
  const write = useWrite()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const begin = () =>
    submitting.run(async () => {
      const written = await write('create_sample_campaign', {})
      if (written.kind === 'done') navigate(campaignPath(written.value.id))
    })
  return (
    <>
      <Button icon="book" busy={submitting.busy} onClick={() => void begin()}>
        Try the sample campaign
      </Button>
      <FormError error={submitting.error} />
    </>
  )
}

export function NewCampaign(): JSX.Element {
  const write = useWrite()
  const [, navigate] = useLocation()
  const submitting = useSubmit()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [ruleSystem, setRuleSystem] = useState('')
  const [scene, setScene] = useState<Campaign['scene']>('orchard')
  usePageTitle('New campaign')

  const make = () =>
    submitting.run(async () => {
      const written = await write('create_campaign', {
        name: name.trim(),
        scene,
        ...(description.trim() ? { description: description.trim() } : {}),
        ...(ruleSystem.trim() ? { ruleSystem: ruleSystem.trim() } : {}),
      })
      if (written.kind === 'done') navigate(campaignPath(written.value.id), { replace: true })
    })

  return (
    <div class="edit">
      <BackLink to={paths.campaigns}>Campaigns</BackLink>
      <PageHeader title="A new campaign" sub="You become its Dungeon Master. Everybody else comes by invitation." />
      <Form submitting={submitting} onSubmit={() => void make()} operation="create_campaign">
        <TextField label="Title" name="name" required autofocus value={name} onValue={setName} />
        <MarkdownField
          label="What is it about?"
          name="description"
          rows={5}
          value={description}
          onValue={setDescription}
          hint="Two sentences that make somebody want to play. Everybody at the table reads them."
        />
        <TextField
          label="Rules"
          name="ruleSystem"
          placeholder="D&D 5e, Blades in the Dark, our own"
          value={ruleSystem}
          onValue={setRuleSystem}
        />
        <SceneField value={scene} onValue={setScene} />
        <FormError error={submitting.error} />
        <div class="line">
          <Button variant="primary" type="submit" icon="quill" busy={submitting.busy}>
            Open the book
          </Button>
          <Button variant="quiet" onClick={() => navigate(paths.campaigns)}>
            Cancel
          </Button>
        </div>
      </Form>
    </div>
  )
}

export function TrashedCampaigns(): JSX.Element {
  const list = usePages('list_trashed_campaigns', { limit: 100 })
  const act = useAction()
  usePageTitle('Campaigns in the trash')
  return (
    <>
      <BackLink to={paths.campaigns}>Campaigns</BackLink>
      <PageHeader title="Campaigns in the trash" />
      {!list.waiting && !list.error && list.items.length === 0 && (
        <EmptyState title="Nothing has been thrown away">
          A campaign that you move to the trash waits here until you want it back.
        </EmptyState>
      )}
      <div class="rows">
        {list.items.map((campaign) => (
          <div key={campaign.id} class="row">
            <span class="grow">
              <strong class="serif">{campaign.name}</strong>
              <span class="secondary">In the trash since {when(campaign.deletedAt)}</span>
            </span>
            <Button
              icon="undo"
              onClick={() =>
                void act('restore_campaign', { campaignId: campaign.id }, { message: `${campaign.name} is back.` })
              }
            >
              Bring it back
            </Button>
          </div>
        ))}
      </div>
      <ListFooter list={list} shown={list.items.length} />
    </>
  )
}
