import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { SearchHit } from '../api/contract.ts'
import { allKinds, entityIcon, entityLabel, type KindSection } from '../kinds.ts'
import { Dialog } from '../kit/dialog.tsx'
import { capitalize } from '../kit/format.ts'
import { useDebounced, useUniqueId } from '../kit/hooks.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { matches } from '../kit/list.tsx'
import { excerpt } from '../kit/prose.tsx'
import { unmarked } from '../kit/snippet.tsx'
import { type CurrentCampaign, useApp, useQuery } from './context.ts'
import { hitPath, paths, sectionPath } from './links.ts'
import { type Theme, themes } from './preferences.ts'
import { type NavItem, navigationOf } from './sections.ts'

interface Command {
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
    const hits: Command[] = (found.data?.items ?? []).flatMap((hit: SearchHit) => {
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

  const take = (choice: Command | undefined) => {
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

function useCommands(here: CurrentCampaign, onCapture: () => void): readonly Command[] {
  const [, navigate] = useLocation()
  const { themes: theme } = useApp()
  const { campaignId, isDm, mayEdit, mayWrite } = here
  return useMemo(() => {
    const go = (group: string, icon: IconName, word: string, to: string): Command => ({
      key: word,
      group,
      icon,
      word,
      run: () => navigate(to),
    })
    const to = ({ to, icon, word }: NavItem) => go('Go to', icon, word, to)
    const all: Command[] = []
    if (mayWrite) all.push({ key: 'write', group: 'Do', icon: 'quill', word: 'Write something down', run: onCapture })
    for (const { madeBy, one, section } of allKinds) {
      const may = madeBy === 'everybody' ? mayEdit : madeBy === 'dm' && isDm && mayWrite
      if (may) all.push(go('Do', 'plus', `New ${one}`, sectionPath(campaignId, section as KindSection, 'new')))
    }
    const { home, tale, table, settings, search } = navigationOf(here, { inbox: 0, rolls: 0 })
    all.push(
      ...[home, ...tale, ...table, ...settings, { ...search, word: 'Search everything' }].map(to),
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
  }, [here])
}
