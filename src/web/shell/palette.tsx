import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { SearchHit } from '../api/contract.ts'
import { Dialog } from '../kit/dialog.tsx'
import { sentence } from '../kit/format.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { matches } from '../kit/list.tsx'
import { useOwnId } from '../kit/own-id.ts'
import { opening } from '../kit/prose.tsx'
import { useSettled } from '../kit/settled.ts'
import { unmarked } from '../kit/snippet.tsx'
import { iconOf } from '../kit/thing-icon.ts'
import { kindOf } from '../kit/words.ts'
import { type Campaigning, useApp, useQuery } from './context.ts'
import { home, pageOfHit, paths, place } from './links.ts'
import { type Theme, themes } from './theme.ts'

interface Choice {
  readonly key: string
  readonly group: string
  readonly icon: IconName
  readonly word: string
  readonly run: () => void
}

/** Find a thing or do something, from the keyboard or with a thumb. */
export function Palette({
  here,
  onClose,
  onCapture,
}: {
  here: Campaigning
  onClose: () => void
  onCapture: () => void
}): JSX.Element {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const listId = useOwnId()
  const list = useRef<HTMLDivElement>(null)
  const query = useSettled(typed.trim(), 160)
  const { campaignId } = here
  const found = useQuery('search_campaign', query.length > 1 ? { campaignId, query, limit: 12 } : null)
  const commands = useCommands(here, onCapture)

  const choices = useMemo(() => {
    const go = (to: string) => () => navigate(to)
    const hits: Choice[] = (found.data?.items ?? []).flatMap((hit: SearchHit) => {
      const to = pageOfHit(campaignId, hit)
      if (!to) return []
      const group = sentence(kindOf(hit.entityType))
      const key = `${hit.entityType} ${hit.entityId}`
      return [
        {
          key,
          group,
          icon: iconOf(hit.entityType),
          word: hit.title || opening(unmarked(hit.snippet), 90),
          run: go(to),
        },
      ]
    })
    // Best first, and what is of one kind together: a kind stands where its best hit would.
    const kinds = [...new Set(hits.map((hit) => hit.group))]
    hits.sort((a, b) => kinds.indexOf(a.group) - kinds.indexOf(b.group))
    const shown = commands.filter((choice) => !typed.trim() || matches(typed.trim(), choice.word))
    return [...hits, ...shown]
  }, [found.data, commands, typed, campaignId, navigate])

  const chosen = Math.min(at, choices.length - 1)
  useEffect(() => {
    list.current?.querySelector('.on')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const take = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.run()
  }

  return (
    <Dialog title="Find or do" quietTitle class="palette" onClose={onClose}>
      <div class="ask">
        <Icon name="find" />
        <input
          type="text"
          role="combobox"
          aria-label="Find or do"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={choices[chosen] ? `${listId}-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          autofocus
          placeholder="A name, a word, or something to do"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, choices.length))
            else if (event.key === 'ArrowUp') setAt((chosen - 1 + choices.length) % Math.max(1, choices.length))
            else if (event.key === 'Enter') take(choices[chosen])
            else return
            event.preventDefault()
          }}
        />
      </div>
      <div ref={list} id={listId} class="hits" role="listbox" aria-label="What fits">
        {choices.map((choice, index) => (
          <div key={choice.key} role="presentation">
            {choice.group !== choices[index - 1]?.group && (
              <p class="group" role="presentation">
                {choice.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above answers the keys */}
            <div
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              class={index === chosen ? 'hit on' : 'hit'}
              onClick={() => take(choice)}
            >
              <Icon name={choice.icon} />
              <span class="grow">{choice.word}</span>
              {index === chosen && <kbd class="desk">Enter</kbd>}
            </div>
          </div>
        ))}
        {choices.length === 0 && <p class="group">{found.loading ? 'Looking' : 'Nothing fits. Try a shorter word.'}</p>}
      </div>
    </Dialog>
  )
}

function useCommands(here: Campaigning, onCapture: () => void): readonly Choice[] {
  const [, navigate] = useLocation()
  const { themes: theme } = useApp()
  const { campaignId, isDm, mayShape, mayWrite, role } = here
  return useMemo(() => {
    const go = (group: string, icon: IconName, word: string, to: string): Choice => ({
      key: word,
      group,
      icon,
      word,
      run: () => navigate(to),
    })
    const all: Choice[] = []
    if (mayWrite) all.push({ key: 'write', group: 'Do', icon: 'quill', word: 'Write something down', run: onCapture })
    if (mayShape) {
      all.push(
        go('Do', 'plus', 'New quest', place(campaignId, 'quests', 'new')),
        go('Do', 'plus', 'New person', place(campaignId, 'people', 'new')),
        go('Do', 'plus', 'New place', place(campaignId, 'places', 'new')),
      )
    }
    if (isDm) all.push(go('Do', 'plus', 'New session', place(campaignId, 'sessions', 'new')))
    all.push(
      go('Go to', 'home', 'Home', home(campaignId)),
      go('Go to', 'quest', 'Quests', place(campaignId, 'quests')),
      go('Go to', 'people', 'People', place(campaignId, 'people')),
      go('Go to', 'map', 'Places', place(campaignId, 'places')),
      go('Go to', 'book', 'Sessions', place(campaignId, 'sessions')),
      go('Go to', 'pen', 'Notes', place(campaignId, 'notes')),
    )
    if (role !== 'viewer') {
      all.push(go('Go to', 'inbox', isDm ? 'Inbox' : 'With the DM', place(campaignId, 'inbox')))
    }
    all.push(go('Go to', 'me', 'Members', place(campaignId, 'members')))
    if (isDm) {
      all.push(
        go('Go to', 'gear', 'Settings', place(campaignId, 'settings')),
        go('Go to', 'clock', 'History', place(campaignId, 'history')),
        go('Go to', 'trash', 'Trash', place(campaignId, 'trash')),
      )
    }
    all.push(
      go('Go to', 'find', 'Search everything', place(campaignId, 'search')),
      go('Go to', 'book', 'All campaigns', paths.campaigns),
      go('Go to', 'plug', 'Connect an AI', paths.connect),
      go('Go to', 'key', 'My account', paths.account),
    )
    for (const [name, word] of Object.entries(themes)) {
      const run = () => {
        theme.chosen.value = name as Theme
      }
      all.push({ key: `theme ${name}`, group: 'Look', icon: 'sun', word: `Theme: ${word.toLowerCase()}`, run })
    }
    return all
  }, [campaignId, isDm, mayShape, mayWrite, role])
}
