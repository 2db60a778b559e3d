import { defineEntity } from '../../kernel/entity.ts'
import { instant, name, nullable, reference, required } from '../../kernel/fields.ts'
import { dungeonMasters } from '../../kernel/visibility.ts'

const notCarried = { carry: { drop: 'an address opens one server' } } as const

/** A secret address under which a television shows the fight and a map. Only its hash is stored; it is shown once. */
export const display = defineEntity({
  name: 'display',
  table: 'displays',
  label: 'display',
  listedBy: 'list_displays',
  visible: dungeonMasters,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    /** Which screen it is, so that one knows which to end. */
    label: nullable(name(), notCarried),
    /** Null: the map of the place where the fight is. */
    mapId: reference('map', notCarried),
    codeHash: required(name(), { ...notCarried, internal: true, lookup: true }),
    hint: required(name(), notCarried),
    revokedAt: nullable(instant(), { ...notCarried, decision: true }),
  },
})
