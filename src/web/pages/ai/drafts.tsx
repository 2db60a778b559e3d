import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Input, Output } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { AreaField, SelectField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { proposalTitle } from '../../kit/labels.ts'
import { PageHeader } from '../../kit/page.tsx'
import { useApp, useCampaign, usePageTitle } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'
import { SettingsTabs } from '../campaign/settings-tabs.tsx'
import { UsageSection } from './usage.tsx'

type DraftType = Input<'draft_content'>['entityType']

const types: readonly { readonly value: DraftType; readonly word: string }[] = [
  { value: 'npc', word: 'People' },
  { value: 'location', word: 'Places' },
  { value: 'quest', word: 'Quests, with their steps' },
  { value: 'faction', word: 'Factions' },
  { value: 'item', word: 'Things to be found' },
  { value: 'encounter', word: 'Fights, with who is in them' },
  { value: 'beat', word: 'Beats of the story' },
  { value: 'table', word: 'Tables to roll on' },
]

const counts = ['1', '2', '3', '4', '5'].map((value) => ({ value, word: value }))

/** Asking the AI of this server for drafts, and what it was asked so far. */
export function Drafts(): JSX.Element {
  const { client } = useApp()
  const { campaignId } = useCampaign()
  const [entityType, setEntityType] = useState<DraftType>('npc')
  const [count, setCount] = useState('1')
  const [prompt, setPrompt] = useState('')
  const [drafted, setDrafted] = useState<Output<'draft_content'> | null>(null)
  const submitting = useSubmit()
  usePageTitle('Drafts')
  const ask = () =>
    submitting.run(async () => {
      setDrafted(null)
      const input = { campaignId, entityType, prompt, count: Number(count) }
      const answer = await client.write('draft_content', input)
      if (answer.kind === 'done') setDrafted(answer.value)
    })
  return (
    <>
      <PageHeader
        title="Drafts"
        sub="The AI of this server writes a beginning. It waits among the proposals, and nothing comes of it until you take it."
      />
      <SettingsTabs />
      <Form operation="draft_content" submitting={submitting} onSubmit={() => void ask()}>
        <div class="field-pair">
          <SelectField label="What" name="entityType" value={entityType} onValue={setEntityType} options={types} />
          <SelectField label="How many" name="count" value={count} onValue={setCount} options={counts} />
        </div>
        <AreaField
          label="What you have in mind"
          name="prompt"
          rows={4}
          hint="It is told this, the campaign’s description, and the names that every player knows. It reads nobody’s notes, and no secret but what you write here."
          value={prompt}
          onValue={setPrompt}
        />
        <FormError error={submitting.error} />
        <p class="line">
          <Button variant="primary" type="submit" busy={submitting.busy} disabled={prompt.trim() === ''}>
            Draft it
          </Button>
        </p>
        <div aria-live="polite">
          {drafted && (
            <div class="ai-answer">
              <span class="word ok">Drafted</span>
              <ul>
                {drafted.drafts.map(({ proposalId, proposal }) => (
                  <li key={proposalId}>
                    <Link href={sectionPath(campaignId, 'proposals', proposalId)}>{proposalTitle(proposal.title)}</Link>
                  </li>
                ))}
              </ul>
              {drafted.warnings.map((warning) => (
                <p key={warning} class="small soft">
                  {warning}
                </p>
              ))}
            </div>
          )}
        </div>
      </Form>
      <UsageSection />
    </>
  )
}
