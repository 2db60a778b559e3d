import { expect, test } from 'vitest'
import { entities, operations, toolsetsOf } from '../../src/catalogue.ts'
import { unmarkedId } from '../../src/kernel/inner-ids.ts'
import { carryOf, circleOf, travels } from '../../src/kernel/travel.ts'
import { expectPinned } from '../support/pin.ts'

// How every field of a campaign travels when it leaves and comes home. A field without its line here does not pass: whoever
// adds one looks at how it travels, and says so in its declaration where it is not the usual.

test('every field of what leaves with a campaign, and what stays behind', () => {
  const toolsets = toolsetsOf(entities, operations)
  const lines = entities
    .filter(({ scope }) => scope === 'campaign' || scope === 'root')
    .flatMap((entity) => {
      if (!travels(entity)) return [`${entity.name}\tstays behind`]
      const head = `${entity.name}\t${circleOf(entity, toolsets.get(entity.name))}${entity.ofPlay ? ', of play' : ''}`
      const fields = Object.entries(entity.fields).map(([key, { marks }]) => {
        const carry = carryOf(entity, key)
        const said = typeof carry === 'object' ? `drop: ${carry.drop}` : carry
        return `${entity.name}.${key}\t${said}${marks.ofPlay ? ', of play' : ''}`
      })
      return [head, ...fields]
    })
  expectPinned('travel.tsv', lines)
})

test('no number inside of a value that travels is called like an id without saying whose', () => {
  const unmarked = entities.filter(travels).flatMap((entity) =>
    Object.entries(entity.fields)
      .filter(([key]) => typeof carryOf(entity, key) === 'string')
      .flatMap(([key, { schema }]) => {
        const at = unmarkedId(schema)
        return at === null ? [] : [`${entity.name}.${key}: ${at}`]
      }),
  )
  expect(unmarked).toEqual([])
})
