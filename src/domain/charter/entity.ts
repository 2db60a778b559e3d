import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, nullable, parent, prose, required, userId } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { everyone, withParent } from '../../kernel/visibility.ts'

const words = () => nullable(prose(20_000), { search: 'body' })

/** Everybody reads a charter again that has changed. */
function tellsOfCharter(): readonly Notice[] {
  return [{ kind: 'charter_changed', to: { least: 'viewer' } }]
}

/** What a table promised each other in session zero. A campaign has one, or none yet; each of its revisions is a version. */
export const charter = defineEntity({
  name: 'charter',
  table: 'charters',
  label: 'charter',
  listedBy: 'get_charter',
  title: 'tone',
  visible: everyone,
  tells: tellsOfCharter,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    /** What kind of tale it is. */
    tone: words(),
    /** Never, not even told about. */
    lines: words(),
    /** It happens, behind a door that is shut. */
    veils: words(),
    safetyTools: words(),
    houseRules: words(),
  },
})

/** That somebody has read a version of the charter. */
export const charterAcknowledgement = defineEntity({
  name: 'charter_acknowledgement',
  table: 'charter_acknowledgements',
  label: 'agreement to the charter',
  listedBy: 'get_charter',
  owner: 'userId',
  visible: withParent('charterId', 'charter'),
  unique: [['charterId', 'userId']],
  lists: { orders: [[]], filters: ['charterId'] },
  since: 4,
  fields: {
    charterId: parent('charter', byUser.carry),
    userId: required(userId(), { ...byUser, references: 'user' }),
    /** The revision of the charter that they read last. */
    version: required(z.int().min(1), byUser),
    acknowledgedAt: required(instant(), byUser),
  },
})
