import { history, redo, undo } from '@codemirror/commands'
import {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  Prec,
  type Range,
  type TransactionSpec,
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  Direction,
  EditorView,
  keymap,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import { StyleModule } from 'style-mod'
import { type Block, blockOf, continuation, isFence, type Span, spansOf } from './prose-marks.ts'

// The text that is edited is the stored Markdown itself: marks only change how it is shown, so that what nobody touched is
// byte for byte what it was, and nothing is ever translated to something else and back.

/** Line ends are letters like others but for one: a text comes out as it went in. */
const asStored = EditorState.lineSeparator.of('\n')

/** A text as the editor holds it. */
export const proseState = (text: string): EditorState => EditorState.create({ doc: text, extensions: asStored })

/** A change that the page made, not whoever writes. */
const fromPage = Annotation.define<boolean>()

// The library writes its styles into an element, which the page's policy refuses; sheets made by a script are not in question.
const adopted = new Set<StyleModule>()
StyleModule.mount = (_root, modules) => {
  for (const module of [modules].flat() as StyleModule[]) {
    if (adopted.has(module)) continue
    adopted.add(module)
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(module.getRules())
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  }
}

class Words extends WidgetType {
  readonly text: string
  readonly class: string
  readonly title: string
  constructor(text: string, className: string, title = '') {
    super()
    this.text = text
    this.class = className
    this.title = title
  }
  override eq(other: Words): boolean {
    return other.text === this.text && other.class === this.class && other.title === this.title
  }
  override toDOM(): HTMLElement {
    const words = document.createElement('span')
    words.className = this.class
    words.textContent = this.text
    if (this.title) words.title = this.title
    return words
  }
  /** A press on it puts the caret beside it, as on any letter. */
  override ignoreEvent(): boolean {
    return false
  }
}

const hidden = Decoration.replace({})
const sign = Decoration.mark({ class: 'md-sign' })
const code = Decoration.line({ class: 'md-pre' })
const bullet = Decoration.replace({ widget: new Words('•', 'md-bullet') })
const number = Decoration.mark({ class: 'md-number' })

interface Shown {
  readonly decorations: DecorationSet
  /** What the caret passes over and a press of Backspace removes whole. */
  readonly atoms: DecorationSet
}

const isMade = (kind: Block['kind']) => kind !== 'number'

/** How the lines in view are shown. Signs around words are seen while the caret is at them. */
export function shownOf(
  view: Pick<EditorView, 'state' | 'hasFocus' | 'visibleRanges'>,
  kindWord: (entityType: string) => string,
): Shown {
  const { doc, selection } = view.state
  const ranges: Range<Decoration>[] = []
  const atoms: Range<Decoration>[] = []
  const touches = ({ from, to }: Span) =>
    view.hasFocus && selection.ranges.some((range) => range.from <= to && range.to >= from)
  for (const { from, to } of view.visibleRanges) {
    const last = doc.lineAt(to).number
    const first = doc.lineAt(from).number
    let fenced = fencesBefore(view.state, first)
    for (let at = first; at <= last; at++) {
      const line = doc.line(at)
      const fence = isFence(line.text)
      if (fenced || fence) {
        ranges.push(code.range(line.from))
        if (fence) fenced = !fenced
        continue
      }
      const block = blockOf(line.text)
      if (block) {
        const end = line.from + block.signs
        ranges.push(Decoration.line({ class: `md-${block.kind} md-level-${block.level}` }).range(line.from))
        if (isMade(block.kind)) {
          const made = (block.kind === 'bullet' ? bullet : hidden).range(line.from, end)
          ranges.push(made)
          atoms.push(made)
        } else ranges.push(number.range(line.from, end))
      }
      const signs = block?.signs ?? 0
      for (const span of spansOf(line.text.slice(signs), line.from + signs)) {
        if (span.kind === 'mention') {
          const { name = '', entityType = '' } = span
          const chip = Decoration.replace({ widget: new Words(name, 'md-mention', kindWord(entityType)) })
          ranges.push(chip.range(span.from, span.to))
          atoms.push(chip.range(span.from, span.to))
          continue
        }
        const made = touches(span) ? sign : hidden
        ranges.push(made.range(span.from, span.from + span.open))
        ranges.push(made.range(span.to - span.close, span.to))
        const [inner, outer] = [span.from + span.open, span.to - span.close]
        if (inner < outer) ranges.push(Decoration.mark({ class: `md-${span.kind}` }).range(inner, outer))
      }
    }
  }
  return { decorations: Decoration.set(ranges, true), atoms: Decoration.set(atoms, true) }
}

/** Whether a line stands inside of a passage that is shown letter by letter. */
function fencesBefore({ doc }: EditorState, line: number): boolean {
  let fenced = false
  for (let at = 1; at < line; at++) if (isFence(doc.line(at).text)) fenced = !fenced
  return fenced
}

function marks(kindWord: (entityType: string) => string) {
  return ViewPlugin.define(
    (view) => {
      const plugin = {
        ...shownOf(view, kindWord),
        update(update: ViewUpdate) {
          if (update.docChanged || update.selectionSet || update.viewportChanged || update.focusChanged)
            Object.assign(plugin, shownOf(update.view, kindWord))
        },
      }
      return plugin
    },
    {
      decorations: (plugin) => plugin.decorations,
      provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.atoms ?? Decoration.none),
    },
  )
}

/** Where the words of a line begin: behind the signs that are not seen. */
function wordsFrom({ from, text }: { readonly from: number; readonly text: string }): number {
  const block = blockOf(text)
  return block && isMade(block.kind) ? from + block.signs : from
}

/** The mention that ends (`-1`) or begins (`1`) at a place. */
function mentionBeside({ doc }: EditorState, place: number, side: -1 | 1): Span | undefined {
  const line = doc.lineAt(place)
  return spansOf(line.text, line.from).find(
    ({ kind, from, to }) => kind === 'mention' && (side === -1 ? to : from) === place,
  )
}

function erase(view: EditorView, side: -1 | 1): boolean {
  const { state } = view
  const { main } = state.selection
  const userEvent = side === -1 ? 'delete.backward' : 'delete.forward'
  const remove = (from: number, to: number) => {
    view.dispatch({ changes: { from, to }, selection: { anchor: from }, userEvent, scrollIntoView: true })
    return true
  }
  if (!main.empty) return remove(main.from, main.to)
  const line = state.doc.lineAt(main.head)
  const beside = mentionBeside(state, main.head, side)
  if (beside) return remove(beside.from, beside.to)
  if (side === -1) {
    const begin = wordsFrom(line)
    return begin > line.from && main.head === begin ? remove(line.from, begin) : false
  }
  if (main.head !== line.to || line.number === state.doc.lines) return false
  return remove(line.to, wordsFrom(state.doc.line(line.number + 1)))
}

/** A step of the caret, over a mention as over one letter. */
function step(view: EditorView, right: boolean, extend: boolean): boolean {
  const { main } = view.state.selection
  const forward = right === (view.textDirectionAt(main.head) === Direction.LTR)
  const isLeft = !extend && !main.empty
  const { head, assoc } = isLeft
    ? EditorSelection.cursor(forward ? main.to : main.from)
    : view.moveByChar(main, forward)
  const selection = extend ? EditorSelection.range(main.anchor, head) : EditorSelection.cursor(head, assoc)
  view.dispatch({ selection, userEvent: 'select', scrollIntoView: true })
  return true
}

/** A new line; in a list or in spoken words it goes on with them, and an empty one ends them. */
function breakLine(view: EditorView): boolean {
  const { state } = view
  const { main } = state.selection
  const line = state.doc.lineAt(main.from)
  const next = main.from >= line.from + (blockOf(line.text)?.signs ?? 0) ? continuation(line.text) : null
  if (next !== null && main.empty && line.length === blockOf(line.text)?.signs) {
    view.dispatch({ changes: { from: line.from, to: line.to }, userEvent: 'input', scrollIntoView: true })
    return true
  }
  view.dispatch({ ...state.replaceSelection(`\n${next ?? ''}`), userEvent: 'input', scrollIntoView: true })
  return true
}

/** The caret stands behind the signs that a line begins with: what is typed before them would undo them. */
const behindSigns = EditorState.transactionFilter.of((transaction) => {
  const { selection, startState, docChanged } = transaction
  if (!selection || docChanged || !selection.main.empty) return transaction
  const { doc } = startState
  const { head } = selection.main
  const line = doc.lineAt(head)
  const begin = wordsFrom(line)
  if (head >= begin) return transaction
  const wasThere = startState.selection.main.head === begin
  const goes = wasThere && line.from > 0 ? line.from - 1 : begin
  return [transaction, { selection: { anchor: goes }, sequential: true }]
})

/** No more than fits: of what is too long the beginning is taken, as a text box does. */
function within(limit: number) {
  return EditorState.transactionFilter.of((transaction): TransactionSpec | readonly TransactionSpec[] => {
    const { newDoc, startState, docChanged } = transaction
    const excess = docChanged ? newDoc.length - limit : 0
    if (excess <= 0 || newDoc.length <= startState.doc.length || transaction.annotation(fromPage)) return transaction
    const changes: { from: number; to: number; insert: string }[] = []
    transaction.changes.iterChanges((from, to, _from, _to, text) =>
      changes.push({ from, to, insert: text.toString().slice(0, Math.max(0, text.length - excess)) }),
    )
    const [change] = changes
    if (change === undefined || changes.length > 1) return []
    return { changes: change, selection: { anchor: change.from + change.insert.length }, scrollIntoView: true }
  })
}

const command = (run: (view: EditorView) => boolean | undefined) => (view: EditorView) => {
  run(view)
  return true
}

export interface ProseEditorOptions {
  readonly parent: HTMLElement
  readonly text: string
  readonly limit: number | undefined
  readonly placeholder: string | undefined
  /** What people call a kind of thing. */
  readonly kindWord: (entityType: string) => string
  /** What was written, as it is stored. */
  readonly onText: (text: string) => void
}

export type EditorListener = (update: ViewUpdate, isPage: boolean) => void

export interface ProseEditor {
  readonly view: EditorView
  /** Sets what somebody else made of the text. */
  replaceAll(text: string): void
  /** Writes in place of what stands from `start` to `end`; the caret is behind it. */
  write(text: string, start: number, end: number): void
  /** Puts marks around what is chosen, or takes them away; without a choice the caret stands between them. */
  wrap(mark: string): void
  /** Begins every chosen line with a mark, or takes it away from all. */
  beginLines(mark: string): void
  /** What assistive technology is told of it. */
  describe(attributes: Readonly<Record<string, string>>): void
  /** Whoever is asked first about a key; answers whether it was theirs. */
  claimKeys(claim: ((event: KeyboardEvent) => boolean) | null): void
  watch(listener: EditorListener): () => void
}

/** An editor for prose that shows Markdown as what it means. */
export function createProseEditor(options: ProseEditorOptions): ProseEditor {
  const { parent, text, limit, onText, kindWord } = options
  const attributes = new Compartment()
  const listeners = new Set<EditorListener>()
  let claimed: ((event: KeyboardEvent) => boolean) | null = null
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      asStored,
      EditorView.lineWrapping,
      EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, '\n')),
      // What stands at the foot of a window over the text.
      EditorView.scrollMargins.of(() => ({ top: 24, bottom: 120 })),
      Prec.highest(EditorView.domEventHandlers({ keydown: (event) => claimed?.(event) ?? false })),
      history(),
      behindSigns,
      limit === undefined ? [] : within(limit),
      options.placeholder ? placeholder(options.placeholder) : [],
      keymap.of([
        { key: 'Enter', run: breakLine, shift: breakLine },
        ...([true, false] as const).map((right) => ({
          key: right ? 'ArrowRight' : 'ArrowLeft',
          run: (target: EditorView) => step(target, right, false),
          shift: (target: EditorView) => step(target, right, true),
        })),
        { key: 'Backspace', run: (target) => erase(target, -1) },
        { key: 'Delete', run: (target) => erase(target, 1) },
        { key: 'Mod-z', run: command(undo), preventDefault: true },
        { key: 'Mod-y', run: command(redo), preventDefault: true },
        { key: 'Mod-Shift-z', run: command(redo), preventDefault: true },
        { key: 'Mod-b', run: command(() => wrap('**')) },
        { key: 'Mod-i', run: command(() => wrap('*')) },
        { key: 'Mod-a', run: command(chooseAll) },
      ]),
      marks(kindWord),
      attributes.of([]),
      EditorView.updateListener.of((update) => {
        const isPage = update.transactions.some((each) => each.annotation(fromPage))
        if (update.docChanged && !isPage) {
          onText(update.state.doc.toString())
          // As of any field: whoever listens around it hears that something was written.
          parent.dispatchEvent(new InputEvent('input', { bubbles: true }))
        }
        for (const listener of listeners) listener(update, isPage)
      }),
    ],
  })

  function wrap(mark: string): undefined {
    const { state } = view
    const { from, to } = state.selection.main
    const around = [state.sliceDoc(from - mark.length, from), state.sliceDoc(to, to + mark.length)]
    const isWrapped = around.every((each) => each === mark)
    const size = mark.length
    const changes = isWrapped
      ? [
          { from: from - size, to: from },
          { from: to, to: to + size },
        ]
      : [
          { from, insert: mark },
          { from: to, insert: mark },
        ]
    const moved = isWrapped ? -size : size
    view.dispatch({ changes, selection: { anchor: from + moved, head: to + moved }, userEvent: 'input' })
    view.focus()
  }

  return {
    view,
    replaceAll(next) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        annotations: fromPage.of(true),
      })
    },
    write(words, start, end) {
      const at = { from: start, to: end, insert: words }
      const anchor = start + words.length
      view.dispatch({ changes: at, selection: { anchor }, userEvent: 'input', scrollIntoView: true })
      view.focus()
    },
    wrap,
    beginLines(mark) {
      const { state } = view
      const { from, to } = state.selection.main
      const lines = []
      for (let at = state.doc.lineAt(from).number; at <= state.doc.lineAt(to).number; at++)
        lines.push(state.doc.line(at))
      const all = lines.every((line) => line.text.startsWith(mark))
      const changes = lines.map((line) =>
        all ? { from: line.from, to: line.from + mark.length } : { from: line.from, insert: mark },
      )
      const set = state.changes(changes)
      const { anchor, head } = state.selection.main
      view.dispatch({
        changes: set,
        selection: { anchor: set.mapPos(anchor, 1), head: set.mapPos(head, 1) },
        userEvent: 'input',
        scrollIntoView: true,
      })
      view.focus()
    },
    describe(told) {
      const content = {
        // A person's own words, unlike a program's.
        spellcheck: 'true',
        autocorrect: 'on',
        autocapitalize: 'sentences',
        ...told,
      }
      view.dispatch({ effects: attributes.reconfigure(EditorView.contentAttributes.of(content)) })
    },
    claimKeys(claim) {
      claimed = claim
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function chooseAll(view: EditorView): undefined {
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length }, userEvent: 'select' })
}
