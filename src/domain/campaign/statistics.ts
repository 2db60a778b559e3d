import * as z from 'zod'
import { defineOperation } from '../../kernel/operation.ts'
import { attendance } from '../attendance/entity.ts'
import { gameNight } from '../game-night/entity.ts'
import { objective } from '../objective/entity.ts'
import { quest, questStatus } from '../quest/entity.ts'
import { session } from '../session/entity.ts'
import { campaign } from './entity.ts'
import { gapsBetween, middleOf } from './rules.ts'

/** The last evenings that a plot has room for. */
const mostEvenings = 60
/** Names at one table, guests included. */
const mostNames = 50

const output = z.object({
  sessions: z.object({ played: z.int(), planned: z.int() }),
  /** The last of those that were played, the oldest first. `present` and `asked` are null where nobody said who was there. */
  evenings: z.array(
    z.object({
      sessionId: z.int(),
      number: z.int(),
      title: z.string().nullable(),
      playedAt: z.iso.date().nullable(),
      present: z.int().nullable(),
      asked: z.int().nullable(),
      /** Days since the one before. */
      daysSince: z.int().nullable(),
    }),
  ),
  /** How many evenings lie before those. */
  earlierEvenings: z.int(),
  /** Days between one evening and the next, of those above. */
  gaps: z.object({ median: z.number().nullable(), longest: z.int().nullable() }),
  /** Who was there how often, most often first. */
  attendance: z.array(z.object({ name: z.string(), present: z.int(), asked: z.int() })),
  questsByStatus: z.array(z.object({ status: questStatus, count: z.int() })),
  objectives: z.object({ done: z.int(), total: z.int() }),
  nights: z.object({ planned: z.int(), cancelled: z.int() }),
})

export const statisticsOperations = {
  get_campaign_statistics: defineOperation({
    name: 'get_campaign_statistics',
    title: 'Get campaign statistics',
    description: 'Sessions, attendance, quests by status, time between sessions.',
    toolset: 'campaign',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/statistics',
    input: z.strictObject({ campaignId: campaign.id }),
    output,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context) {
      const status = context.read(session).countBy('status')
      const played = status.get('played') ?? 0
      const { items } = context.read(session).page({
        where: { status: 'played' },
        order: [['number', 'desc']],
        columns: ['number', 'title', 'playedAt'],
        limit: mostEvenings,
      })
      const rows = items.toReversed()
      const ids = rows.map(({ id }) => id as number)
      const groups = context.read(attendance).groupBy('sessionId', ids, { columns: ['present'], limit: mostNames })
      const gaps = gapsBetween(rows.map(({ playedAt }) => playedAt))
      const people = context.read(attendance).sumBy('present', 'name')
      const quests = context.read(quest).countBy('status')
      const done = context.read(objective).count({ done: true })
      const nights = context.read(gameNight).countBy('status')
      return {
        sessions: { played, planned: (status.get('planned') ?? 0) + (status.get('live') ?? 0) },
        evenings: rows.map((row, index) => {
          const group = groups.get(row.id as number)
          return {
            sessionId: row.id as number,
            number: row.number,
            title: row.title,
            playedAt: row.playedAt,
            present: group === undefined ? null : group.items.filter(({ present }) => present).length,
            asked: group?.count ?? null,
            daysSince: gaps[index] ?? null,
          }
        }),
        earlierEvenings: played - rows.length,
        gaps: middleOf(gaps),
        attendance: Array.from(people, ([name, { sum, count }]) => ({ name: String(name), present: sum, asked: count }))
          .sort((a, b) => b.present - a.present || b.asked - a.asked || (a.name < b.name ? -1 : 1))
          .slice(0, mostNames),
        questsByStatus: questStatus.options.map((each) => ({ status: each, count: quests.get(each) ?? 0 })),
        objectives: { done, total: context.read(objective).count() },
        nights: { planned: nights.get('planned') ?? 0, cancelled: nights.get('cancelled') ?? 0 },
      }
    },
  }),
}
