import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { Campaign } from '../../api/contract.ts'
import { Button, LinkButton, More } from '../../kit/button.tsx'
import { Find, TextField } from '../../kit/field.tsx'
import { Complaint, Form, useSubmit } from '../../kit/form.tsx'
import { when } from '../../kit/format.ts'
import { ListEnd, useNarrowed } from '../../kit/list.tsx'
import { Empty, Head, Running } from '../../kit/page.tsx'
import { opening } from '../../kit/prose.tsx'
import { campaignStatuses, roles } from '../../kit/words.ts'
import { WriteField } from '../../kit/write.tsx'
import { useAct, usePages, useTitle, useWrite } from '../../shell/context.ts'
import { home, paths, picture, scene } from '../../shell/links.ts'

const textOf = (campaign: Campaign) => [campaign.name, campaign.description, campaign.ruleSystem].join(' ')

export function Campaigns(): JSX.Element {
  const list = useNarrowed('list_campaigns', { limit: 100 }, textOf)
  useTitle('Campaigns')
  if (!list.waiting && !list.error && list.items.length === 0) return <NoCampaigns />
  return (
    <>
      <Head title="Campaigns">
        <LinkButton look="act" icon="plus" to={paths.newCampaign}>
          New campaign
        </LinkButton>
      </Head>
      {list.items.length > 6 && (
        <div class="narrow">
          <Find value={list.typed} onValue={list.onType} placeholder="Title or anything said of it" />
        </div>
      )}
      <div class="shelf">
        {list.shown.map((campaign) => (
          <Link key={campaign.id} href={home(campaign.id)} class="volume">
            <span class="cover">
              <img
                src={campaign.coverAttachmentId ? picture(campaign.coverAttachmentId, 'medium') : scene}
                alt=""
                loading="lazy"
              />
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
                  <span class="small faint">{opening(campaign.description, 90)}</span>
                </>
              )}
            </span>
          </Link>
        ))}
      </div>
      <ListEnd list={list} typed={list.typed} shown={list.shown.length} />
      <p class="section">
        <More to={paths.trashedCampaigns}>Campaigns in the trash</More>
      </p>
    </>
  )
}

function NoCampaigns(): JSX.Element {
  return (
    <>
      <Head title="Campaigns" />
      <Empty
        title="An empty shelf"
        action={
          <LinkButton look="act" icon="quill" to={paths.newCampaign}>
            Begin a campaign
          </LinkButton>
        }
      >
        Begin a tale of your own, or open the link that your DM sent you to join theirs.
      </Empty>
      <More to={paths.trashedCampaigns}>Campaigns in the trash</More>
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
  useTitle('New campaign')

  const make = () =>
    submitting.run(async () => {
      const written = await write('create_campaign', {
        name: name.trim(),
        ...(description.trim() ? { description: description.trim() } : {}),
        ...(ruleSystem.trim() ? { ruleSystem: ruleSystem.trim() } : {}),
      })
      if (written.kind === 'done') navigate(home(written.value.id), { replace: true })
    })

  return (
    <div class="edit">
      <Running to={paths.campaigns}>Campaigns</Running>
      <Head title="A new campaign" sub="You become its Dungeon Master. Everybody else comes by invitation." />
      <Form submitting={submitting} onSubmit={() => void make()}>
        <TextField label="Title" name="name" required autofocus value={name} onValue={setName} />
        <WriteField
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
        <Complaint error={submitting.error} />
        <div class="line">
          <Button look="act" type="submit" icon="quill" busy={submitting.busy}>
            Open the book
          </Button>
          <Button look="quiet" onClick={() => navigate(paths.campaigns)}>
            Leave it
          </Button>
        </div>
      </Form>
    </div>
  )
}

export function TrashedCampaigns(): JSX.Element {
  const list = usePages('list_trashed_campaigns', { limit: 100 })
  const act = useAct()
  useTitle('Campaigns in the trash')
  return (
    <>
      <Running to={paths.campaigns}>Campaigns</Running>
      <Head title="Campaigns in the trash" />
      {!list.waiting && !list.error && list.items.length === 0 && (
        <Empty title="Nothing has been thrown away">
          A campaign that you move to the trash waits here until you want it back.
        </Empty>
      )}
      <div class="rows">
        {list.items.map((campaign) => (
          <div key={campaign.id} class="row">
            <span class="grow">
              <strong class="serif">{campaign.name}</strong>
              <span class="line2">In the trash since {when(campaign.deletedAt)}</span>
            </span>
            <Button
              icon="undo"
              onClick={() =>
                void act('restore_campaign', { campaignId: campaign.id }, { said: `${campaign.name} is back.` })
              }
            >
              Bring it back
            </Button>
          </div>
        ))}
      </div>
      <ListEnd list={list} shown={list.items.length} />
    </>
  )
}
