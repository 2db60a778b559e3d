import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LinkedThing, SearchHit } from '../api/contract.ts'
import { allKinds, entityIcon, entityLabel } from '../kinds.ts'
import { useCampaign, usePages, useQuery } from '../shell/context.ts'
import { Portrait } from './avatar.tsx'
import { count } from './format.ts'
import { useUniqueId } from './hooks.ts'
import { Icon } from './icon.tsx'
import { beginsWith, isNamedBy, mentionAt, mentionText, type WrittenMention } from './mention-query.ts'
import type { ProseEditor } from './prose-editor.ts'
import { placeAtLine } from './text-caret.ts'

const mentionable = allKinds.filter((kind) => kind.mentionable).map(({ name }) => name)

/** How many names are offered at once. */
const MOST = 8
/** How many are asked for: some are found by what is said of them, and are not called so. */
const ASKED = 40

interface Candidate extends LinkedThing {
  readonly key: string
  /** Somebody's portrait. */
  readonly portrait?: number | null
}

/** What may be meant: people by their faces, lately met first, and whatever else the search knows by such a name. */
function useCandidates(mention: WrittenMention | null): readonly Candidate[] {
  const { campaignId } = useCampaign()
  const query = mention?.query.trim() ?? ''
  const [asked, setAsked] = useState('')
  const people = usePages('list_npcs', mention ? { campaignId, limit: 200 } : null).items
  const input = asked ? { campaignId, query: asked, entityTypes: mentionable, limit: ASKED } : null
  const { data, loading } = useQuery('search_campaign', input)
  const hits = useRef<readonly SearchHit[]>([])
  if (data) hits.current = data.items
  // One question at a time: what is typed meanwhile is asked when the server has answered.
  useEffect(() => {
    if (!loading) setAsked(query)
  }, [query, loading])
  if (!mention) return []

  const faces = [...people]
    .sort((one, other) => other.updatedAt.localeCompare(one.updatedAt))
    .map((npc): Candidate => {
      const { id, name, portraitAttachmentId } = npc
      return { key: `npc ${id}`, entityType: 'npc', entityId: id, title: name, portrait: portraitAttachmentId }
    })
  const found = hits.current.map(
    ({ entityType, entityId, title }): Candidate => ({ key: `${entityType} ${entityId}`, entityType, entityId, title }),
  )
  const all = new Map([...found, ...faces].map((one) => [one.key, one] as const))
  if (query === '') return faces.slice(0, MOST)
  const named = [...all.values()].filter(({ title }) => isNamedBy(query, title))
  const isFirst = ({ title }: Candidate) => Number(beginsWith(query, title))
  return named.sort((one, other) => isFirst(other) - isFirst(one)).slice(0, MOST)
}

/** The mention that is being written where the caret stands. */
function writtenIn({ view: { state } }: ProseEditor): WrittenMention | null {
  const { empty, head } = state.selection.main
  if (!empty) return null
  // More than a mention may be long.
  const from = Math.max(0, head - 100)
  const found = mentionAt(state.sliceDoc(from, head), head - from)
  return found && { ...found, start: from + found.start }
}

/**
 * The names that an @ in a text may mean, in a list at the caret. The editor keeps the focus and all that is typed; a key
 * belongs to the list only while names are on screen for exactly what stands in the text.
 */
export function MentionList({
  editor,
  describe,
}: {
  editor: ProseEditor
  /** What a screen reader is told of the editor while the list is there; null when it is gone. */
  describe: (told: Readonly<Record<string, string>> | null) => void
}): JSX.Element {
  const id = useUniqueId()
  const [mention, setMention] = useState<WrittenMention | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = useCandidates(mention)
  const isOpen = mention !== null && shown.length > 0
  const found = shown.findIndex(({ key }) => key === chosen)
  // A bare @ takes nothing by itself: it may be meant as it stands.
  const active = found >= 0 ? found : mention?.query ? 0 : -1

  const take = (candidate: Candidate) => {
    if (!mention) return
    const { start, query } = mention
    const behind = query.slice(query.trimEnd().length)
    setMention(null)
    editor.write(mentionText(candidate) + behind, start, start + 1 + query.length)
  }
  const onScreen = { mention, shown, active, isOpen, take }
  const latest = useRef(onScreen)
  latest.current = onScreen

  useLayoutEffect(() => {
    /** Where the @ stands that was left as it is by Escape. */
    let left: number | null = null
    const written = () => writtenIn(editor)
    const onInput = () => {
      const now = written()
      if (now?.start !== left) left = null
      setChosen(null)
      setMention(now && left === null ? now : null)
    }
    const onSelection = () => {
      const { mention: then } = latest.current
      if (!then) return
      const now = written()
      if (now?.start !== then.start) setMention(null)
      else if (now.query !== then.query) setMention(now)
    }
    const onKey = (event: KeyboardEvent): boolean => {
      const { mention: then, shown, active, isOpen, take } = latest.current
      const now = written()
      const isTheirs = isOpen && now?.start === then?.start && now?.query === then?.query
      // What an input method is composing is its own.
      if (!isTheirs || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
        return false
      const choose = (step: 1 | -1) => {
        const from = active === -1 && step === -1 ? 0 : active
        setChosen(shown[(from + step + shown.length) % shown.length]?.key ?? null)
      }
      const candidate = shown[active]
      if (event.key === 'ArrowDown') choose(1)
      else if (event.key === 'ArrowUp') choose(-1)
      else if (event.key === 'Escape') {
        left = then?.start ?? null
        setMention(null)
      } else if ((event.key === 'Enter' || event.key === 'Tab') && candidate) take(candidate)
      else return false
      event.preventDefault()
      // The dialog or the form around hears nothing of it.
      event.stopPropagation()
      return true
    }
    editor.claimKeys(onKey)
    const unwatch = editor.watch((update, isPage) => {
      if (update.docChanged && isPage) setMention(null)
      else if (update.docChanged) onInput()
      else if (update.selectionSet) onSelection()
      if (update.focusChanged && !update.view.hasFocus) setMention(null)
    })
    return () => {
      editor.claimKeys(null)
      unwatch()
    }
  }, [editor])

  useLayoutEffect(() => {
    if (!isOpen) return
    describe({
      // It stays a text box of many lines, which a combobox is not.
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': id,
      ...(active === -1 ? {} : { 'aria-activedescendant': `${id}-${active}` }),
    })
    return () => describe(null)
  }, [isOpen, id, active])
  return (
    <>
      <span class="visually-hidden" role="status">
        {isOpen ? `${count(shown.length, 'name')} to choose from` : ''}
      </span>
      {isOpen && (
        <Sheet editor={editor} start={mention.start} id={id} active={active}>
          {shown.map((candidate, index) => (
            <Row
              key={candidate.key}
              id={`${id}-${index}`}
              candidate={candidate}
              isActive={index === active}
              onTake={() => take(candidate)}
            />
          ))}
        </Sheet>
      )}
    </>
  )
}

/** The list itself, above everything else on the page, at the line that the @ stands in. */
function Sheet({
  editor,
  start,
  id,
  active,
  children,
}: {
  editor: ProseEditor
  start: number
  id: string
  active: number
  children: JSX.Element[]
}): JSX.Element {
  const self = useRef<HTMLDivElement>(null)
  const place = () => {
    const line = editor.view.coordsAtPos(start)
    if (self.current && line) placeAtLine(self.current, line)
  }
  useLayoutEffect(() => self.current?.showPopover(), [])
  useLayoutEffect(place)
  useLayoutEffect(() => {
    self.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  useEffect(() => {
    const onScroll = (event: Event) => {
      if (event.target !== self.current) place()
    }
    addEventListener('scroll', onScroll, true)
    visualViewport?.addEventListener('resize', place)
    visualViewport?.addEventListener('scroll', place)
    return () => {
      removeEventListener('scroll', onScroll, true)
      visualViewport?.removeEventListener('resize', place)
      visualViewport?.removeEventListener('scroll', place)
    }
  }, [editor, start])
  return (
    <div
      ref={self}
      id={id}
      popover="manual"
      role="listbox"
      aria-label="Who or what is meant"
      class="mention-list"
      // The text box keeps the focus, and with it a phone its keyboard.
      onMouseDown={(event) => event.preventDefault()}
    >
      {children}
    </div>
  )
}

function Row({
  id,
  candidate: { entityType, title, portrait },
  isActive,
  onTake,
}: {
  id: string
  candidate: Candidate
  isActive: boolean
  onTake: () => void
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text box, which keeps the focus
    <div id={id} role="option" aria-selected={isActive} tabIndex={-1} onClick={onTake}>
      <span class="face">
        {entityType === 'npc' ? (
          <Portrait name={title} attachmentId={portrait} size="s" />
        ) : (
          <Icon name={entityIcon(entityType)} />
        )}
      </span>
      <strong>{title}</strong>
      <span class="when">{entityLabel(entityType)}</span>
    </div>
  )
}
