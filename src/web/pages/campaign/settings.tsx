import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { CallError } from '../../api/call.ts'
import type { CampaignSettings, CampaignStatus } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { useDraft, useUnsavedWarning } from '../../kit/edit-page.tsx'
import { optionsOf, SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { campaignStatuses } from '../../kit/labels.ts'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { LoadError, PageHeader, Section } from '../../kit/page.tsx'
import { PictureField } from '../../kit/picture.tsx'
import { locationOptions, ReferenceField, useLocations } from '../../kit/references.tsx'
import { type Ahead, useAction, useSave } from '../../shell/actions.ts'
import { useApp, useCampaign, usePageTitle } from '../../shell/context.ts'
import { paths } from '../../shell/links.ts'
import { SceneField } from './scene-field.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

const forbidden = new CallError(403, 'forbidden', 'This is for the DM of the campaign.')

export function Settings(): JSX.Element {
  const { campaign, isDm, settings } = useCampaign()
  usePageTitle('Settings', campaign.name)
  if (!isDm) return <LoadError error={forbidden} />
  return (
    <>
      <PageHeader title="Settings" />
      <SettingsTabs />
      <Cover />
      {settings && <Rules settings={settings} />}
      <State />
    </>
  )
}

/** What stands on the cover: title, description, picture. */
function Cover(): JSX.Element {
  const { campaignId, campaign, mayWrite } = useCampaign()
  const keep = useSave()
  const submitting = useSubmit()
  const places = useLocations()
  const start = {
    name: campaign.name,
    description: campaign.description ?? '',
    ruleSystem: campaign.ruleSystem ?? '',
    currentLocationId: campaign.currentLocationId,
    coverAttachmentId: campaign.coverAttachmentId,
    scene: campaign.scene,
  }
  const draft = useDraft(start)
  const { values, set } = draft
  useUnsavedWarning(draft.dirty && !submitting.busy)
  // Taken back, or changed by somebody else: it is shown as it is now, unless words here wait to be saved.
  useEffect(() => {
    if (!draft.dirty) draft.rebase(start)
  }, [campaign.revision])

  const save = () =>
    submitting.run(async () => {
      const changes = draft.changes()
      const written = await keep('update_campaign', {
        campaignId,
        expectedRevision: campaign.revision,
        ...(changes as { name?: string }),
      })
      if (written.kind === 'done') {
        draft.settle()
      }
    })

  return (
    <Form submitting={submitting} onSubmit={() => void save()} operation="update_campaign" ownWords>
      <TextField label="Title" name="name" required value={values.name} onValue={(value) => set('name', value)} />
      <MarkdownField
        label="What it is about"
        name="description"
        rows={4}
        value={values.description}
        onValue={(value) => set('description', value)}
        hint="Everybody at the table reads this."
      />
      <PictureField
        label="Cover"
        kind="image"
        caption={values.name}
        value={values.coverAttachmentId}
        onValue={(value) => set('coverAttachmentId', value)}
      />
      {values.coverAttachmentId === null && (
        <SceneField value={values.scene} onValue={(value) => set('scene', value)} />
      )}
      <div class="field-pair">
        <TextField
          label="Rules"
          name="ruleSystem"
          value={values.ruleSystem}
          onValue={(value) => set('ruleSystem', value)}
        />
        <ReferenceField
          label="Where the party is"
          name="currentLocationId"
          none="On the road"
          value={values.currentLocationId}
          onValue={(value) => set('currentLocationId', value)}
          options={locationOptions(places)}
        />
      </div>
      <FormError error={submitting.error} />
      {mayWrite && (
        <div class="line">
          <Button variant="primary" type="submit" icon="check" busy={submitting.busy} disabled={!draft.dirty}>
            Save
          </Button>
        </div>
      )}
    </Form>
  )
}

/** Who may propose, and what outside AI may be given. */
function Rules({ settings }: { settings: CampaignSettings }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()

  const ahead = (change: Partial<CampaignSettings>): Ahead => ({
    what: 'The setting',
    show: (cache) => [cache.one('get_campaign_settings', { campaignId }).overlay((now) => ({ ...now, ...change }))],
  })
  const setPolicy = async (aiContentPolicy: CampaignSettings['aiContentPolicy']) => {
    if (aiContentPolicy === 'member_consent') {
      const yes = await confirmations.ask({
        title: 'Let outside AI read notes again?',
        text: 'Only the notes of members who have allowed it themselves.',
        yes: 'Let it read those',
      })
      if (!yes) return
    }
    const options = { message: 'Saved.', ahead: ahead({ aiContentPolicy }) }
    await act('update_campaign_settings', { campaignId, aiContentPolicy }, options)
  }
  return (
    <Section title="At this table">
      <div class="stack form">
        <Switch
          label="Players may propose changes"
          hint="What they would change waits in your inbox until you take it."
          checked={settings.playersPropose}
          disabled={!mayWrite}
          onValue={(playersPropose) =>
            void act(
              'update_campaign_settings',
              { campaignId, playersPropose },
              { message: 'Saved.', ahead: ahead({ playersPropose }) },
            )
          }
        />
        <Switch
          label="What you write down begins hidden"
          hint="People, places, quests and all else that you add is yours alone until you show it."
          checked={settings.hidesNewThings === true}
          disabled={!mayWrite}
          onValue={(hidesNewThings) =>
            void act(
              'update_campaign_settings',
              { campaignId, hidesNewThings },
              { message: 'Saved.', ahead: ahead({ hidesNewThings }) },
            )
          }
        />
        <Switch
          label="Outside AI may read members’ notes"
          hint="Only of those members who have allowed it themselves. Switched off, no member’s note goes to any AI outside this server."
          checked={settings.aiContentPolicy === 'member_consent'}
          disabled={!mayWrite}
          onValue={(on) => void setPolicy(on ? 'member_consent' : 'disabled')}
        />
      </div>
    </Section>
  )
}

/** Where the campaign stands, and putting it away. */
function State(): JSX.Element {
  const { campaignId, campaign } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const [, navigate] = useLocation()

  const setStatus = async (status: CampaignStatus) => {
    if (status === 'archived') {
      const yes = await confirmations.ask({
        title: 'Close the book?',
        text: 'Everybody can still read the campaign, and nobody can change anything in it until you open it again.',
        yes: 'Close it',
      })
      if (!yes) return
    }
    await act('set_campaign_status', { campaignId, status }, { message: `${campaignStatuses[status]} now.` })
  }
  const remove = async () => {
    const yes = await confirmations.ask({
      title: `Move ${campaign.name} to the trash?`,
      text: 'It disappears for everybody at the table. You can bring it back from the trash of campaigns.',
      yes: 'Move it to the trash',
      danger: true,
    })
    if (!yes) return
    const undo = () => act('restore_campaign', { campaignId }, { message: `${campaign.name} is back.` })
    if (await act('delete_campaign', { campaignId }, { message: `${campaign.name} is in the trash.`, undo })) {
      navigate(paths.campaigns)
    }
  }
  return (
    <Section title="Where it stands">
      <div class="stack form">
        <SelectField
          label="State of the campaign"
          value={campaign.status}
          onValue={(status) => void setStatus(status)}
          options={optionsOf(campaignStatuses)}
          hint="An archived campaign can be read, and nothing in it changes."
        />
        <div class="line">
          <Button variant="danger-quiet" icon="trash" class="outdent" onClick={() => void remove()}>
            Move the campaign to the trash
          </Button>
        </div>
      </div>
    </Section>
  )
}
