import { packFormat } from '../domain/rule-pack/format.ts'
import { fail } from '../kernel/errors.ts'

// Pages of the Open5e API as they come (https://api.open5e.com, versions 1 and 2), made into entries of a pack. What a page
// says in prose is read from the prose: the fields beside it are wrong in places (an attack's damage type), and version 1 has
// none. What is not understood stays in the text of the entry, which is kept whole.

type Json = Readonly<Record<string, unknown>>
type Note = (text: string) => void

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
/** A name: `{name, key}` in version 2, the word itself in version 1. */
const nameOf = (value: unknown): string => (isObject(value) ? text(value.name) || text(value.key) : text(value))
const whole = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined
}
const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list)
/** Without members that hold nothing. */
function full(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''))
}
const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
const cut = (value: string, most: number): string => (value.length <= most ? value : `${value.slice(0, most - 1)}…`)

const abilities: Readonly<Record<string, string>> = {
  strength: 'str',
  dexterity: 'dex',
  constitution: 'con',
  intelligence: 'int',
  wisdom: 'wis',
  charisma: 'cha',
}
const fractions: Readonly<Record<string, number>> = { '1/8': 0.125, '1/4': 0.25, '1/2': 0.5 }

/** The head of a pack from what stands beside the results. Licence and attribution have to stand there: a page has neither. */
export function open5eHead(members: Json, note: Note): Json {
  const { count: _, next, previous: __, results: ___, ...head } = members
  if (head.licence === undefined || head.attribution === undefined) {
    const missing = head.licence === undefined ? 'licence' : 'attribution'
    throw fail(
      'validation_failed',
      `Nothing was kept. ${missing}: missing. A page of Open5e does not say under which licence it is: write licence {name, url}, attribution, key, title and version beside its results, as the document's page on Open5e has them.`,
      { details: [{ path: missing, message: 'missing' }] },
    )
  }
  if (typeof next === 'string') note('This is one page of several: what follows it is not in this document.')
  return { format: packFormat, version: '1.0.0', ...head }
}

/** One result as an entry; `readEntry` judges it. */
export function open5eEntry(value: unknown, place: string, note: Note): Json {
  if (!isObject(value))
    throw fail('validation_failed', `Nothing was kept. ${place}: not an object.`, {
      details: [{ path: place, message: 'not an object' }],
    })
  const name = cut(text(value.name), 120)
  const key = keyOf(text(value.key) || text(value.slug) || name).slice(0, 80)
  const common = { key, name, system: 'dnd5e' }
  const kind = kindOf(value)
  const written = { creature, spell, item, condition: described, rule: described }[kind](value, name, note)
  return { kind, ...common, ...written }
}

function kindOf(value: Json): 'creature' | 'spell' | 'item' | 'condition' | 'rule' {
  if ('challenge_rating' in value || 'hit_points' in value) return 'creature'
  if ('casting_time' in value || 'level_int' in value) return 'spell'
  if ('weapon' in value || 'armor' in value || 'rarity' in value || 'cost' in value || 'damage_dice' in value)
    return 'item'
  return 'descriptions' in value ? 'condition' : 'rule'
}

function described(value: Json, name: string): Json {
  const texts = objects(value.descriptions).map(({ desc }) => text(desc))
  const body = text(value.desc) || (texts[0] ?? '')
  const block = 'descriptions' in value ? { statblock: { key: keyOf(name).slice(0, 60) } } : {}
  return { text: cut(body, 20_000), ...block }
}

function creature(value: Json, name: string, note: Note): Json {
  const scores = isObject(value.ability_scores) ? value.ability_scores : value
  const bonuses = isObject(value.saving_throws) ? value.saving_throws : null
  const saves = Object.entries(abilities).map(([long, short]) => [
    short,
    whole(bonuses ? bonuses[long] : value[`${long}_save`]),
  ])
  const skills = isObject(value.skill_bonuses) ? value.skill_bonuses : isObject(value.skills) ? value.skills : {}
  const defences = isObject(value.resistances_and_immunities) ? value.resistances_and_immunities : null
  const armour = whole(value.armor_class)
  const points = whole(value.hit_points)
  const says = creatureText(value)
  return {
    text: cut(says, 20_000),
    statblock: full({
      size: sizes.has(nameOf(value.size).toLowerCase()) ? nameOf(value.size).toLowerCase() : undefined,
      type: cut(nameOf(value.type).toLowerCase(), 60),
      alignment: cut(text(value.alignment), 60),
      rating: ratingOf(value),
      experience: whole(value.experience_points),
      armourClass:
        armour === undefined
          ? undefined
          : full({ value: armour, from: cut(text(value.armor_detail) || text(value.armor_desc), 80) }),
      hitPoints: points === undefined ? undefined : full({ value: points, dice: diceIn(text(value.hit_dice)) }),
      speeds: speedsOf(value.speed),
      abilities: numbersOf(Object.entries(abilities).map(([long, short]) => [short, whole(scores[long])])),
      saves: numbersOf(saves),
      skills: numbersOf(Object.entries(skills).map(([skill, bonus]) => [keyOf(skill), whole(bonus)])),
      senses: some(sensesOf(value)),
      passivePerception: whole(value.passive_perception),
      languages: cut(isObject(value.languages) ? text(value.languages.as_string) : text(value.languages), 200),
      ...(defences ? defencesOf(defences) : {}),
      traits: some(
        objects(value.traits ?? value.special_abilities).map((each) => ({
          name: cut(text(each.name), 80),
          text: cut(text(each.desc), 4000),
        })),
      ),
      actions: some(actionsOf(value, name, note)),
      legendary: objects(value.legendary_actions).length > 0 || hasLegendary(value) ? 3 : undefined,
    }),
  }
}

const sizes = new Set(['tiny', 'small', 'medium', 'large', 'huge', 'gargantuan'])

/** What version 1 says in words only stands in the text, so that nothing is lost. */
function creatureText(value: Json): string {
  const lines = [text(value.desc)]
  for (const [member, said] of [
    ['damage_vulnerabilities', 'Vulnerable to'],
    ['damage_resistances', 'Resists'],
    ['damage_immunities', 'Immune to'],
    ['condition_immunities', 'Cannot be'],
  ] as const)
    if (text(value[member]) !== '') lines.push(`${said}: ${text(value[member])}.`)
  return lines.filter((line) => line !== '').join('\n\n')
}

function ratingOf(value: Json): number | undefined {
  const said = value.cr ?? value.challenge_rating
  return fractions[text(said)] ?? (typeof said === 'string' || typeof said === 'number' ? Number(said) : undefined)
}

const numbersOf = (pairs: readonly (readonly unknown[])[]): Json | undefined => {
  const known = pairs.filter(([, value]) => typeof value === 'number')
  return known.length === 0 ? undefined : Object.fromEntries(known as [string, number][])
}

function speedsOf(value: unknown): Json | undefined {
  if (!isObject(value)) return undefined
  return numbersOf(['walk', 'burrow', 'climb', 'fly', 'swim'].map((way) => [way, whole(value[way])]))
}

function sensesOf(value: Json): readonly string[] {
  const ranges = ['darkvision', 'blindsight', 'tremorsense', 'truesight'].flatMap((sense) => {
    const range = whole(value[`${sense}_range`])
    return range === undefined || range === 0 ? [] : [`${sense} ${range} ft`]
  })
  return [...ranges, cut(text(value.senses), 80)].filter((sense) => sense !== '').slice(0, 10)
}

function defencesOf(defences: Json): Json {
  const listed = (member: string) =>
    some(objects(defences[member]).map((each) => ({ type: nameOf(each).toLowerCase() })))
  return {
    resistances: listed('damage_resistances'),
    immunities: listed('damage_immunities'),
    vulnerabilities: listed('damage_vulnerabilities'),
    conditionImmunities: some(objects(defences.condition_immunities).map((each) => keyOf(nameOf(each)))),
  }
}

const costs: Readonly<Record<string, string>> = {
  ACTION: 'action',
  BONUS_ACTION: 'bonus',
  REACTION: 'reaction',
  LEGENDARY_ACTION: 'legendary',
  LAIR_ACTION: 'lair',
}
const hasLegendary = (value: Json): boolean =>
  objects(value.actions).some((each) => each.action_type === 'LEGENDARY_ACTION')

function actionsOf(value: Json, creatureName: string, note: Note): readonly Json[] {
  const lists = [
    ['actions', 'action'],
    ['bonus_actions', 'bonus'],
    ['reactions', 'reaction'],
    ['legendary_actions', 'legendary'],
  ] as const
  return lists
    .flatMap(([member, cost]) =>
      objects(value[member]).map((each) => actionOf(each, costs[text(each.action_type)] ?? cost, creatureName, note)),
    )
    .slice(0, 60)
}

const attackWords = /([+-]\d+) to hit|Attack Roll:\s*([+-]\d+)/i
const damageWords = /\((\d+d\d+(?:\s*[+−-]\s*\d+)?)\)\s*([a-z]+) damage/gi
const saveWords = /DC (\d+) (Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma) sav/i
const newSaveWords = /(Strength|Dexterity|Constitution|Intelligence|Wisdom|Charisma) Saving Throw: DC (\d+)/i

function actionOf(each: Json, cost: string, creatureName: string, note: Note): Json {
  const desc = text(each.desc)
  const named = text(each.name)
  const attack = desc.match(attackWords)
  const saved = desc.match(saveWords)
  const newer = desc.match(newSaveWords)
  const [ability, dc] = newer ? [newer[1], newer[2]] : [saved?.[2], saved?.[1]]
  const damage = Array.from(desc.matchAll(damageWords), ([, dice = '', type = '']) => ({
    dice: dice.replaceAll(/\s/g, '').replace('−', '-'),
    type: type.toLowerCase(),
  })).slice(0, 6)
  const limits = isObject(each.usage_limits) ? each.usage_limits : {}
  const recharge = named.match(/recharge (\d)/i)?.[1] ?? (limits.type === 'RECHARGE_ON_ROLL' ? limits.param : undefined)
  const perDay = named.match(/\((\d+)\/day/i)?.[1] ?? (limits.type === 'PER_DAY' ? limits.param : undefined)
  const range = desc.match(/range (\d+)(?:\/(\d+))?/i)
  const reach = desc.match(/reach (\d+)/i)
  const count = whole(each.legendary_action_cost) ?? whole(named.match(/costs (\d) actions/i)?.[1])
  if (attack === null && dc === undefined && /\d+d\d+/.test(desc))
    note(`${creatureName}, ${named}: its dice stand in the text only.`)
  return full({
    name: cut(named, 80),
    cost: cost === 'action' ? undefined : cost,
    count: count !== undefined && count > 1 ? Math.min(5, count) : undefined,
    text: cut(desc, 4000),
    attack:
      attack === null
        ? undefined
        : full({
            bonus: Number(attack[1] ?? attack[2]),
            kind: reach && range ? 'either' : range ? 'ranged' : 'melee',
            reach: reach ? Number(reach[1]) : undefined,
            range: range
              ? [range[1], range[2]].flatMap((feet) => (feet === undefined ? [] : [Number(feet)]))
              : undefined,
          }),
    damage: some(damage),
    save:
      dc === undefined
        ? undefined
        : full({
            ability: abilities[String(ability).toLowerCase()],
            dc: Number(dc),
            half: /half as much|half damage/i.test(desc) || undefined,
          }),
    recharge: inRange(recharge, 2, 6) === undefined ? undefined : { from: inRange(recharge, 2, 6) },
    uses: inRange(perDay, 1, 20) === undefined ? undefined : { count: inRange(perDay, 1, 20), per: 'day' },
  })
}

function inRange(value: unknown, least: number, most: number): number | undefined {
  const number = whole(value)
  return number !== undefined && number >= least && number <= most ? number : undefined
}

/** The dice of a text, where they are a plain sum. */
const diceIn = (said: string): string | undefined =>
  said.match(/^\d+d\d+(?:\s*[+-]\s*\d+)?$/)?.[0].replaceAll(/\s/g, '')

const isYes = (value: unknown): boolean => value === true || text(value).toLowerCase() === 'yes'

function spell(value: Json): Json {
  const higher = text(value.higher_level)
  const parts = [
    value.verbal === true ? 'V' : '',
    value.somatic === true ? 'S' : '',
    value.material === true ? `M (${text(value.material_specified)})` : '',
  ].filter((part) => part !== '')
  const ability = abilities[text(value.saving_throw_ability).toLowerCase()]
  return {
    text: cut(
      [text(value.desc), higher === '' ? '' : `**At higher levels.** ${higher}`].filter(Boolean).join('\n\n'),
      20_000,
    ),
    statblock: full({
      level: whole(value.level_int ?? value.level) ?? 0,
      school: cut(nameOf(value.school).toLowerCase(), 40),
      castingTime: cut(text(value.casting_time).replaceAll('_', ' '), 80),
      range: cut(text(value.range_text) || text(value.range), 80),
      components: cut(text(value.components) || parts.join(', '), 200),
      duration: cut(text(value.duration), 80),
      concentration: isYes(value.concentration) || undefined,
      ritual: isYes(value.ritual) || undefined,
      lists: some(
        objects(value.classes)
          .map((each) => cut(nameOf(each), 40))
          .slice(0, 20),
      ),
      save: ability === undefined ? undefined : { ability },
      damage:
        diceIn(text(value.damage_roll)) === undefined
          ? undefined
          : [full({ dice: diceIn(text(value.damage_roll)), type: firstType(value) })],
    }),
  }
}

const firstType = (value: Json): string | undefined =>
  Array.isArray(value.damage_types) ? nameOf(value.damage_types[0]).toLowerCase() || undefined : undefined

function item(value: Json): Json {
  const weapon = isObject(value.weapon) ? value.weapon : value
  const armour = isObject(value.armor) ? value.armor : null
  const dice = diceIn(text(weapon.damage_dice))
  const cost = text(value.cost)
  const weight = Number.parseFloat(text(value.weight))
  const base = armour === null ? undefined : whole(armour.ac_base)
  return {
    text: cut(text(value.desc), 20_000),
    statblock: full({
      category: cut(nameOf(value.category ?? value.type).toLowerCase(), 40),
      cost: /^\d+(\.\d+)?$/.test(cost) ? (Number(cost) === 0 ? undefined : `${Number(cost)} gp`) : cut(cost, 40),
      weight: Number.isFinite(weight) && weight > 0 ? weight : undefined,
      rarity: cut(nameOf(value.rarity).toLowerCase(), 40),
      attunement: isYes(value.requires_attunement) || /^requires/i.test(text(value.requires_attunement)) || undefined,
      weapon:
        dice === undefined
          ? undefined
          : full({
              damage: [full({ dice, type: nameOf(weapon.damage_type).toLowerCase() || undefined })],
              properties: some(propertiesOf(weapon.properties)),
            }),
      armour:
        base === undefined
          ? undefined
          : full({
              base,
              dexterityAtMost: armour?.ac_add_dexmod === true ? whole(armour.ac_cap_dexmod) : 0,
              noisy: armour?.grants_stealth_disadvantage === true || undefined,
            }),
    }),
  }
}

function propertiesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value
    .map((each) => cut(isObject(each) ? nameOf(each.property ?? each) : text(each), 60))
    .filter((each) => each !== '')
    .slice(0, 12)
}
