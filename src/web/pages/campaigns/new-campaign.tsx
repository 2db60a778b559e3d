import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Campaign } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { MarkdownField } from '../../kit/markdown-field.tsx'
import { BackLink, PageHeader } from '../../kit/page.tsx'
import { useWrite } from '../../shell/actions.ts'
import { usePageTitle } from '../../shell/context.ts'
import { campaignPath, paths } from '../../shell/links.ts'
import { SceneField } from '../campaign/scene-field.tsx'

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
