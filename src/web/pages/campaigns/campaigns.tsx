import type { JSX } from 'preact'
import { Link, useLocation } from 'wouter-preact'
import type { Campaign } from '../../api/contract.ts'
import { Button, LinkButton, MoreLink } from '../../kit/button.tsx'
import { FormError, useSubmit } from '../../kit/form.tsx'
import { campaignStatuses, roles } from '../../kit/labels.ts'
import { useFilteredList } from '../../kit/list.tsx'
import { ListBody } from '../../kit/list-page.tsx'
import { EmptyState, PageHeader } from '../../kit/page.tsx'
import { excerpt } from '../../kit/prose.tsx'
import { useWrite } from '../../shell/actions.ts'
import { usePageTitle } from '../../shell/context.ts'
import { campaignPath, coverImage, paths } from '../../shell/links.ts'
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
