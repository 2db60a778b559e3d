import type { LinkedThing, Relation, RelationGraph } from '../../api/contract.ts'

type GraphNode = RelationGraph['nodes'][number]

/** One thing of the web, by its name. */
export interface Soul {
  readonly key: string
  readonly entityType: GraphNode['entityType']
  readonly entityId: number
  readonly title: string
  readonly hidden: boolean
  readonly pictureAttachmentId: number | null
}

/** One half of a bond: whose word it is of whom. */
export interface Half {
  readonly relation: Relation
  /** Which half of the relation. */
  readonly half: 'label' | 'inverseLabel'
  readonly of: string
  readonly word: string
  readonly hidden: boolean
}

/** All that binds two of them, whichever way it was written down. */
export interface Bond {
  readonly key: string
  readonly ends: readonly [Soul, Soul]
  readonly halves: readonly Half[]
  readonly relations: readonly Relation[]
  /** Players know no more than a part of it. */
  readonly partly: boolean
}

const keyOf = (entityType: string, entityId: number): string => `${entityType} ${entityId}`
export const keyOfThing = (thing: LinkedThing | null): string =>
  thing === null ? '' : keyOf(thing.entityType, thing.entityId)

export interface Web {
  readonly souls: ReadonlyMap<string, Soul>
  readonly bonds: readonly Bond[]
}

function halvesOf(relation: Relation): readonly Half[] {
  const { label, inverseLabel, labelHidden = false, inverseLabelHidden = false, hidden } = relation
  const both: readonly (Omit<Half, 'word'> & { readonly word: string | null })[] = [
    { relation, half: 'label', of: keyOfThing(relation.from), word: label, hidden: labelHidden || hidden },
    {
      relation,
      half: 'inverseLabel',
      of: keyOfThing(relation.to),
      word: inverseLabel,
      hidden: inverseLabelHidden || hidden,
    },
  ]
  return both.flatMap((half) => (half.word === null ? [] : [{ ...half, word: half.word }]))
}

/** The web as it is looked at: as a player sees it without what is hidden, and without what hangs on that. */
export function webOf({ nodes, edges }: RelationGraph): Web {
  const souls = new Map(
    nodes.map((node): [string, Soul] => {
      const key = keyOf(node.entityType, node.entityId)
      return [key, { ...node, key }]
    }),
  )
  const byPair = new Map<string, { ends: readonly [Soul, Soul]; relations: Relation[]; halves: Half[] }>()
  for (const relation of edges) {
    const [one, other] = [souls.get(keyOfThing(relation.from)), souls.get(keyOfThing(relation.to))]
    const halves = halvesOf(relation)
    if (one === undefined || other === undefined || halves.length === 0) continue
    const key = [one.key, other.key].sort().join(' – ')
    const bond = byPair.get(key) ?? { ends: [one, other] as const, relations: [], halves: [] }
    byPair.set(key, { ...bond, relations: [...bond.relations, relation], halves: [...bond.halves, ...halves] })
  }
  const bonds = [...byPair].map(([key, { ends, relations, halves }]): Bond => {
    const partly = halves.some(({ hidden }) => hidden) || ends.some(({ hidden }) => hidden)
    return { key, ends, relations, halves, partly }
  })
  return { souls, bonds }
}

export const otherEnd = ({ ends: [one, other] }: Bond, key: string): Soul => (one.key === key ? other : one)

export interface Place {
  readonly x: number
  readonly y: number
}

export const canvas = { width: 888, height: 752, middle: { x: 444, y: 372 } } as const
/** As many as can stand round the middle with their words. */
export const mostAround = 10

/** Where the things round the middle stand: on an oval, the first of them at the top. */
export function placesAround(count: number): readonly Place[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * index) / count
    return {
      x: canvas.middle.x + Math.cos(angle) * 350,
      y: canvas.middle.y + Math.sin(angle) * 295,
    }
  })
}
