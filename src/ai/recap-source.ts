import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { draftOutput } from '../domain/session/recap.ts'
import type { ModelMessage } from '../kernel/model-port.ts'
import { aboutFence, fenced, wordsIn } from './fence.ts'

/**
 * The rules by which consent was asked when a draft was made; 0 are the releases before there were any (SPEC 3, 9). It is part
 * of what a draft is known by, so that the first run behind a change of the rules drafts again, once.
 */
export const consentVersion = 1

type Draft = z.output<typeof draftOutput>

/** How the recap should be written. */
export interface Wishes {
  readonly language: string | null
  readonly style: string | null
}

/** What a recap is drafted from, and nothing else: what decides whether two runs had the same. */
export interface RecapSource {
  readonly session: { readonly number: number; readonly title: string | null; readonly playedAt: string | null } | null
  readonly before: string | null
  readonly texts: readonly {
    readonly kind: 'note' | 'passed_on'
    readonly id: number
    readonly by: string
    readonly text: string
    readonly answer: string | null
  }[]
  readonly quests: readonly {
    readonly title: string
    readonly status: string
    readonly steps: readonly { readonly text: string; readonly done: boolean }[]
  }[]
  readonly wishes: Wishes
}

/**
 * The source of a recap, out of what was gathered through the eyes of the model. What a text is about is left away: that may be
 * something hidden. Nothing in it changes while nobody writes.
 */
export function recapSource({ session, previousRecap, sources }: Draft, wishes: Wishes): RecapSource {
  const notes = sources.notes.map(({ id, authorUser, body }) => ({
    ...({ kind: 'note', id, by: authorUser?.title ?? '', text: body, answer: null } as const),
  }))
  const passedOn = sources.inboxItems.map(({ id, authorUser, body, resolution }) => ({
    ...({ kind: 'passed_on', id, by: authorUser?.title ?? '', text: body, answer: resolution ?? null } as const),
  }))
  return {
    session: session && { number: session.number, title: session.title, playedAt: session.playedAt },
    before: previousRecap?.recap ?? null,
    texts: [...notes, ...passedOn],
    quests: sources.quests.map(({ title, status, objectives }) => ({
      title,
      status,
      steps: objectives.map(({ text, done }) => ({ text, done })),
    })),
    wishes,
  }
}

/** Characters that are left of each text, however long they all are. */
const leastOfText = 200

/**
 * The same in about half the words, for a model that cannot read so much at once: without the recap before, and with the
 * longest texts cut to one length. Everybody who wrote is still heard.
 */
export function shorterSource(source: RecapSource): RecapSource {
  const lengths = source.texts.map(({ text }) => text.length).toSorted((one, other) => one - other)
  let left = lengths.reduce((sum, length) => sum + length, 0) / 2
  let most = leastOfText
  for (const [index, length] of lengths.entries()) {
    most = Math.max(leastOfText, Math.floor(left / (lengths.length - index)))
    if (length >= most) break
    left -= length
  }
  const cut = (text: string): string => (text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`)
  const texts = source.texts.map((each) => ({ ...each, text: cut(each.text), answer: each.answer && cut(each.answer) }))
  return { ...source, before: null, texts }
}

/** Tells one source from another. */
export function sourceHash(source: RecapSource, version: number = consentVersion): string {
  return createHash('sha256').update(JSON.stringify({ version, source })).digest('base64url')
}

/** Whether there is anything to tell. */
export function isEmpty({ texts, quests }: RecapSource): boolean {
  return texts.length === 0 && quests.length === 0
}

export function recapMessages(source: RecapSource, fence: string): readonly ModelMessage[] {
  return [
    {
      role: 'system',
      text: `You write the recap of one session of a tabletop role-playing game, for the players who were there.

${aboutFence(fence)}

- Tell what happened in the order in which it happened, in the past tense, in three to six short paragraphs of Markdown without headings. Close with the questions that stay open.
- Use only the material. Keep names as they are written. Invent nothing.
- "wishes" says in which language and how it should sound; where it says nothing, write in the language of the notes.
- Answer with the recap alone: no greeting, no remark on what you did.`,
    },
    { role: 'user', text: `The material of the session:\n\n${fenced(source, fence)}` },
  ]
}

/** The recap in an answer, without a fence around all of it. Empty where there is none. */
export function recapIn(answer: string): string {
  const said = wordsIn(answer)
  return (/^```[a-z]*\n([\s\S]*?)\n```$/i.exec(said)?.[1] ?? said).trim()
}
