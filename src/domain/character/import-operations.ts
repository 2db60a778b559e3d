import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { importers } from '../../rules/importers.ts'
import type { Imported, ImportedItem } from '../../rules/importing.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { campaign } from '../campaign/entity.ts'
import { inventoryItem } from '../inventory/entity.ts'
import { classWords, lifeOf, lifePatch, rulesOf, sheetOf } from '../sheets.ts'
import { character } from './entity.ts'
import { defined, fromClass, refuseUnknown, writable } from './operations.ts'
import { computed, computedOutput } from './read.ts'

const own = 'talekeeper'
const formats = [own, ...importers.map(({ format }) => format)]
const mostItems = 300

const sheetValues = z.object(character.create(...writable)).omit({ portraitAttachmentId: true, dmSecret: true })
const itemValues = z.object(inventoryItem.create('name', 'quantity', 'weight', 'value', 'notes', 'slot'))
type SheetValues = z.output<typeof sheetValues>

interface Read {
  readonly values: SheetValues
  readonly hp: number | null
  readonly hpTemp: number
  readonly resources: unknown
  readonly items: readonly unknown[]
  readonly worn: readonly { readonly equipped: boolean; readonly attuned: boolean }[]
  readonly report: string[]
}

/** What a document says, as a sheet takes it. Throws `validation_failed` with the place of what no sheet can hold. */
function checked<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data
  const [first] = error.issues
  const path = [at, ...(first?.path ?? [])].join('.')
  throw invalid(path, first?.message ?? 'cannot be read')
}

const notTaken = [
  'id',
  'campaignId',
  'revision',
  'createdAt',
  'updatedAt',
  'ownerUserId',
  'ownerUser',
  'status',
  'computed',
]
const alsoRead = ['hp', 'hpTemp', 'resources', 'inventory', 'items']

/** An answer of get_character, with `inventory` beside it where things come along. */
function readOwn(document: Readonly<Record<string, unknown>>): Read {
  const nulls = Object.entries(document).filter(([key, value]) => value !== null || key === 'name')
  const known = Object.fromEntries(nulls.filter(([key]) => key in sheetValues.shape))
  const left = nulls
    .map(([key]) => key)
    .filter((key) => !(key in sheetValues.shape || notTaken.includes(key) || alsoRead.includes(key)))
  const number = (value: unknown): number | null =>
    typeof value === 'number' && Number.isInteger(value) ? value : null
  const items = [document.inventory, document.items].find(Array.isArray) ?? []
  return {
    values: checked(sheetValues, known, 'document'),
    hp: number(document.hp),
    hpTemp: number(document.hpTemp) ?? 0,
    resources: document.resources ?? [],
    items,
    worn: items.map((item: unknown) => {
      const { equipped, attuned } = Object(item) as { equipped?: unknown; attuned?: unknown }
      return { equipped: equipped === true, attuned: attuned === true }
    }),
    report: left.map((key) => `Not taken over: ${key}.`),
  }
}

const coinWords = (coins: Imported['coins']): string =>
  Object.entries(coins)
    .filter(([, count]) => count > 0)
    .map(([coin, count]) => `${count} ${coin}`)
    .join(', ')

function readForeign(system: RuleSystem, format: string, document: unknown): Read {
  const importer = importers.find((each) => each.format === format)
  if (importer === undefined) throw invalid('format', `one of ${formats.join(', ')}`)
  const read = importer.read(document, (classes) => system.slotsFor(classes))
  if (read === null) throw invalid('document', `no character as ${importer.title} writes one`)
  const { items, coins, report, hp, hpTemp, classes, spellSlots, hitDice, ...rest } = read
  const purse = coinWords(coins)
  const carried: readonly ImportedItem[] =
    purse === ''
      ? items
      : [
          ...items,
          { name: 'Purse', quantity: 1, weight: null, value: purse, notes: null, equipped: false, attuned: false },
        ]
  const values = {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    className: classWords(classes) ?? undefined,
    spellSlots,
    hitDice,
  }
  return {
    values: checked(sheetValues, values, 'document'),
    hp,
    hpTemp,
    resources: [],
    items: carried.map(({ name, quantity, weight, value, notes }) => ({
      name,
      quantity,
      ...defined({ weight: weight ?? undefined, value: value ?? undefined, notes: notes ?? undefined }),
    })),
    worn: carried,
    report: [...report, ...(purse === '' ? [] : ['Their coins lie in the bag, in a purse of their own.'])],
  }
}

function put(context: Context, system: RuleSystem, read: Read): number {
  refuseUnknown(system, read.values)
  const { spellSlots, hitDice, saves } = fromClass(system, read.values)
  const ownerUserId = context.viewer.role === 'dm' ? null : context.actor.userId
  const resources = checked(character.fields.resources.schema, read.resources, 'document.resources')
  const given = { spellSlots, hitDice, saves, ...defined(read.values), name: read.values.name, resources, ownerUserId }
  const id = context.write(character).insert(given)
  const row = context.read(character).get(id)
  const fresh = system.life.fresh(sheetOf(row))
  const hp = Math.max(0, Math.min(fresh.hpMax, read.hp ?? fresh.hpMax))
  // Whoever comes at nought comes as the rules have somebody lie there.
  const life = system.life.set(fresh, hp, sheetOf(row)).life
  const hpTemp = Math.max(0, Math.min(100_000, Math.round(read.hpTemp)))
  context.write(character).update(id, lifePatch({ ...life, hpTemp }))
  read.items.slice(0, mostItems).forEach((item, index) => {
    const values = checked(itemValues, item, `document.items.${index}`)
    context.write(inventoryItem).insert({ ...values, characterId: id, ...(read.worn[index] && pick(read.worn[index])) })
  })
  return id
}

const pick = ({ equipped, attuned }: { readonly equipped: boolean; readonly attuned: boolean }) => ({
  equipped,
  attuned,
})

export const characterImportOperations = {
  import_character: defineOperation({
    name: 'import_character',
    title: 'Import character',
    description: 'From talekeeper (get_character), dndbeyond or foundry-dnd5e. Answers what was not understood.',
    toolset: 'party',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/characters/import',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      format: z.enum(formats as [string, ...string[]]),
      document: z.record(z.string(), z.unknown()),
    }),
    output: character.output.extend({
      computed: computedOutput,
      /** How many things came along. */
      itemCount: z.int(),
      /** What was not understood, or should be looked at: a sentence each. */
      report: z.array(z.string()),
    }),
    tells: ['itemCount', 'report'],
    example: (world) => ({
      campaignId: world.id('campaign'),
      format: own,
      document: { name: 'Tamsin Holt', level: 2, hpMax: 19, inventory: [{ name: 'Glaive', equipped: true }] },
    }),
    handle(context, { format, document }) {
      const system = rulesOf(context)
      const read = format === own ? readOwn(document) : readForeign(system, format, document)
      const id = put(context, system, read)
      const row = context.read(character).find(id)
      if (row === null) throw fail('not_found')
      const left = read.items.length - mostItems
      const { hpMax } = lifeOf(system, row)
      const shrunk =
        read.hp !== null && read.hp > hpMax ? [`They have ${hpMax} hit points at most, not ${read.hp}.`] : []
      return {
        ...row,
        computed: computed(system, row),
        itemCount: Math.min(read.items.length, mostItems),
        report: [...read.report, ...shrunk, ...(left > 0 ? [`${left} more things were left behind.`] : [])].slice(
          0,
          200,
        ),
      }
    },
  }),
}
