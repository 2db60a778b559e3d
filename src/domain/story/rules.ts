// How a story goes on. Nothing here reads or writes: what is given is the whole story, or all of it that is seen.

export type BeatStatus = 'planned' | 'active' | 'done' | 'skipped'
export type BranchStatus = 'open' | 'taken' | 'not_taken'

/** How many beats, and how many branches, a graph has at most. */
export const mostBeats = 5_000
export const mostBranches = 10_000

export interface StoryBeat {
  readonly id: number
  readonly arcId: number
  readonly status: BeatStatus
}

export interface StoryBranch {
  readonly id: number
  readonly beatId: number
  /** Null: nobody knows yet where it leads. */
  readonly toBeatId: number | null
  readonly status: BranchStatus
}

export interface Story {
  /** Those of one arc in their order. */
  readonly beats: readonly StoryBeat[]
  readonly branches: readonly StoryBranch[]
}

/** A step from one beat to the next: by a branch, or, without one, along the thread of their arc. */
export interface Lead {
  readonly from: number
  readonly to: number
  readonly branchId: number | null
}

/**
 * Where every beat leads. One without branches leads on to the next beat of its arc that no branch of the same arc leads
 * to: of two that are one or the other, neither follows the other, and both lead on to what comes either way.
 */
export function leadsOf({ beats, branches }: Story): readonly Lead[] {
  const arcOf = new Map(beats.map(({ id, arcId }) => [id, arcId]))
  const branching = new Set(branches.map(({ beatId }) => beatId))
  const chosenWithin = new Set<number>()
  const leads: Lead[] = []
  for (const { id, beatId, toBeatId } of branches) {
    if (toBeatId === null || !arcOf.has(beatId) || !arcOf.has(toBeatId)) continue
    leads.push({ from: beatId, to: toBeatId, branchId: id })
    if (arcOf.get(beatId) === arcOf.get(toBeatId)) chosenWithin.add(toBeatId)
  }
  // From behind: the next beat of each arc that is no branch's.
  const following = new Map<number, number>()
  for (const { id, arcId } of [...beats].reverse()) {
    const next = following.get(arcId)
    if (next !== undefined && !branching.has(id)) leads.push({ from: id, to: next, branchId: null })
    if (!chosenWithin.has(id)) following.set(arcId, id)
  }
  return leads
}

/** What is to be written, by id. */
export interface Outcome {
  readonly beats: ReadonlyMap<number, BeatStatus>
  readonly branches: ReadonlyMap<number, BranchStatus>
}

/**
 * What becomes of a story where the party takes a branch: its beat is told, the other ways out of it are not taken, and the
 * beat that it leads to is now, unless it was told before. A beat to come is struck where nothing leads to it any more,
 * and so is what only that one would have led to. Only what changes is given.
 */
export function outcomeOf(story: Story, branchId: number): Outcome {
  const taken = story.branches.find(({ id }) => id === branchId)
  if (taken === undefined) throw new Error(`branch ${branchId} is none of this story`)
  const branches = new Map<number, BranchStatus>()
  for (const { id, beatId, status } of story.branches) {
    const becomes = id === branchId ? 'taken' : 'not_taken'
    if (beatId === taken.beatId && status !== becomes) branches.set(id, becomes)
  }
  const before = new Map(story.beats.map(({ id, status }) => [id, status]))
  const beats = new Map<number, BeatStatus>()
  const next = taken.toBeatId === null ? undefined : before.get(taken.toBeatId)
  if (taken.toBeatId !== null && (next === 'planned' || next === 'skipped')) beats.set(taken.toBeatId, 'active')
  for (const id of lost(story, taken)) beats.set(id, 'skipped')
  // Last: a circle, which a restored revision can make, ends in what is told.
  if (before.get(taken.beatId) === 'done') beats.delete(taken.beatId)
  else beats.set(taken.beatId, 'done')
  return { beats, branches }
}

/** Beats to come that the ways not taken alone would have led to. */
function lost(story: Story, taken: StoryBranch): ReadonlySet<number> {
  const leads = leadsOf(story)
  const notTaken = new Set(story.branches.filter(({ status }) => status === 'not_taken').map(({ id }) => id))
  const isOtherWay = ({ from, branchId }: Lead): boolean => from === taken.beatId && branchId !== taken.id
  const isGone = (lead: Lead): boolean => isOtherWay(lead) || (lead.branchId !== null && notTaken.has(lead.branchId))
  const statuses = new Map(story.beats.map(({ id, status }) => [id, status]))
  const open = leads.filter((lead) => !isGone(lead))
  const outOf = Map.groupBy(open, ({ from }) => from)
  const toCome = (id: number): boolean => statuses.get(id) === 'planned' && id !== taken.toBeatId && id !== taken.beatId

  const doubtful = reached(
    leads.filter(isOtherWay).map(({ to }) => to),
    outOf,
    toCome,
  )
  const goesOn = (id: number): boolean => statuses.get(id) !== 'skipped' || id === taken.toBeatId
  const held = open.filter(({ from, to }) => doubtful.has(to) && !doubtful.has(from) && goesOn(from))
  const saved = reached(
    held.map(({ to }) => to),
    outOf,
    (id) => doubtful.has(id),
  )
  return new Set([...doubtful].filter((id) => !saved.has(id)))
}

/** These and all that they lead to, as far as it passes. */
function reached(
  from: readonly number[],
  outOf: ReadonlyMap<number, readonly Lead[]>,
  passes: (id: number) => boolean,
): ReadonlySet<number> {
  const found = new Set<number>()
  const waiting = [...from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || !passes(id)) continue
    found.add(id)
    for (const { to } of outOf.get(id) ?? []) waiting.push(to)
  }
  return found
}

/** Whether a branch from one beat to another would make a circle: a tale does not come back to what it told. */
export function wouldCircle(
  branches: readonly Pick<StoryBranch, 'beatId' | 'toBeatId'>[],
  beatId: number,
  toBeatId: number,
): boolean {
  const outOf = Map.groupBy(branches, (branch) => branch.beatId)
  const met = new Set<number>()
  const waiting = [toBeatId]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === beatId) return true
    if (met.has(id)) continue
    met.add(id)
    for (const { toBeatId: next } of outOf.get(id) ?? []) if (next !== null) waiting.push(next)
  }
  return false
}
