import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { type ChoiceCard, ChoiceCards } from '../../kit/choice-cards.tsx'
import { LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { messageOf, useApp, usePageTitle } from '../../shell/context.ts'
import { useServer } from '../../shell/server.ts'
import { WhatLeaves } from './ai-leaves.tsx'
import type { AiProvider, Place } from './ai-presets.ts'
import { ProviderForm } from './ai-provider-form.tsx'
import './ai-styles.ts'

const places: readonly ChoiceCard<Place>[] = [
  { value: 'none', icon: 'minus', title: 'Nobody', said: 'Nothing is asked, nothing is sent' },
  {
    value: 'local',
    icon: 'home',
    title: 'On this computer',
    said: 'Ollama, LM Studio or llama.cpp, here or in your network. Slower, and it never leaves the house',
  },
  {
    value: 'internet',
    icon: 'out',
    title: 'In the cloud',
    said: 'Anthropic, OpenAI, or an address of your own. Quick, and words go out',
  },
]

/** Who thinks when the scribe writes, the seat speaks or something is drafted. */
export function AiProviderPage(): JSX.Element {
  const provider = useServer<AiProvider>('/ai-provider')
  const chosen = provider.data
  const [picked, setPicked] = useState<Place | null>(null)
  usePageTitle('AI in this house')
  if (!chosen) {
    return (
      <>
        <PageHeader title="AI in this house" />
        {provider.error ? <LoadError error={provider.error} retry={() => void provider.refresh()} /> : <Loading />}
      </>
    )
  }
  const now: Place = chosen.kind === 'none' ? 'none' : chosen.reach
  const place = picked ?? now
  return (
    <>
      <PageHeader
        title="AI in this house"
        sub="Who thinks when the scribe drafts or the seat at the table speaks. Without one, everything else works just the same."
      />
      <div class="ai-choice">
        <ChoiceCards label="Who thinks" choices={places} value={place} onValue={setPicked} />
        {place === 'none' ? (
          <Nobody chosen={chosen} onSaved={provider.refresh} />
        ) : (
          <ProviderForm key={place} chosen={chosen} place={place} onSaved={provider.refresh} />
        )}
      </div>
      <WhatLeaves place={place} external={place === 'none' || chosen.kind === 'none' || chosen.external} />
    </>
  )
}

function Nobody({ chosen, onSaved }: { chosen: AiProvider; onSaved: () => Promise<void> }): JSX.Element {
  const { client, toasts } = useApp()
  const leave = async () => {
    try {
      await client.send({ method: 'PUT', path: '/ai-provider', body: { kind: 'none' } })
      toasts.say('From now on nothing is asked.')
      await onSaved()
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  return (
    <div class="stack">
      <h2 class="h3">A quiet house</h2>
      <p class="soft">
        You write, you roll, you remember. You can choose otherwise on any day; what was drafted stays.
      </p>
      {chosen.kind !== 'none' && (
        <p class="line">
          <Button variant="primary" onClick={() => void leave()}>
            Ask nobody any more
          </Button>
          <span class="soft">The address and the key are forgotten.</span>
        </p>
      )}
    </div>
  )
}
