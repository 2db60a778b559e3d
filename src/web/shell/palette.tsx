import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { SearchHit } from '../api/contract.ts'
import { Dialog } from '../kit/dialog.tsx'
import { entityIcon } from '../kit/entity-icon.ts'
import { capitalize } from '../kit/format.ts'
import { useDebounced, useUniqueId } from '../kit/hooks.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { entityLabel } from '../kit/labels.ts'
import { matches } from '../kit/list.tsx'
import { excerpt } from '../kit/prose.tsx'
import { unmarked } from '../kit/snippet.tsx'
import { type CurrentCampaign, useApp, useQuery } from './context.ts'
import { campaignPath, hitPath, paths, sectionPath } from './links.ts'
import { type Theme, themes } from './preferences.ts'

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
  here: CurrentCampaign
  onClose: () => void
  onCapture: () => void
}): JSX.Element {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const listId = useUniqueId()
  const list = useRef<HTMLDivElement>(null)
  const query = useDebounced(typed.trim(), 160)
  const { campaignId } = here
  const found = useQuery('search_campaign', query.length > 1 ? { campaignId, query, limit: 12 } : null)
  const commands = useCommands(here, onCapture)

  const choices = useMemo(() => {
    const go = (to: string) => () => navigate(to)
    const hits: Choice[] = (found.data?.items ?? []).flatMap((hit: SearchHit) => {
      const to = hitPath(campaignId, hit)
      if (!to) return []
      const group = capitalize(entityLabel(hit.entityType))
      const key = `${hit.entityType} ${hit.entityId}`
      return [
        {
          key,
          group,
          icon: entityIcon(hit.entityType),
          word: hit.title || excerpt(unmarked(hit.snippet), 90),
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
              {index === chosen && <kbd class="desktop-only">Enter</kbd>}
            </div>
          </div>
        ))}
        {choices.length === 0 && <p class="group">{found.loading ? 'Looking' : 'Nothing fits. Try a shorter word.'}</p>}
      </div>
    </Dialog>
  )
}

function useCommands(here: CurrentCampaign, onCapture: () => void): readonly Choice[] {
  const [, navigate] = useLocation()
  const { themes: theme } = useApp()
  const { campaignId, isDm, mayEdit, mayWrite, role } = here
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
    if (mayEdit) {
      all.push(
        go('Do', 'plus', 'New quest', sectionPath(campaignId, 'quests', 'new')),
        go('Do', 'plus', 'New person', sectionPath(campaignId, 'people', 'new')),
        go('Do', 'plus', 'New place', sectionPath(campaignId, 'places', 'new')),
      )
    }
    if (isDm) all.push(go('Do', 'plus', 'New session', sectionPath(campaignId, 'sessions', 'new')))
    all.push(
      go('Go to', 'home', 'Home', campaignPath(campaignId)),
      go('Go to', 'quest', 'Quests', sectionPath(campaignId, 'quests')),
      go('Go to', 'people', 'People', sectionPath(campaignId, 'people')),
      go('Go to', 'map', 'Places', sectionPath(campaignId, 'places')),
      go('Go to', 'book', 'Sessions', sectionPath(campaignId, 'sessions')),
      go('Go to', 'pen', 'Notes', sectionPath(campaignId, 'notes')),
    )
    if (role !== 'viewer') {
      all.push(go('Go to', 'inbox', isDm ? 'Inbox' : 'With the DM', sectionPath(campaignId, 'inbox')))
    }
    all.push(go('Go to', 'me', 'Members', sectionPath(campaignId, 'members')))
    if (isDm) {
      all.push(
        go('Go to', 'gear', 'Settings', sectionPath(campaignId, 'settings')),
        go('Go to', 'clock', 'History', sectionPath(campaignId, 'history')),
        go('Go to', 'trash', 'Trash', sectionPath(campaignId, 'trash')),
      )
    }
    all.push(
      go('Go to', 'find', 'Search everything', sectionPath(campaignId, 'search')),
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
  }, [campaignId, isDm, mayEdit, mayWrite, role])
}
