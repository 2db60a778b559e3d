import type { JSX } from 'preact'
import type { Item } from '../../api/contract.ts'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePages } from '../../shell/context.ts'

type Session = Item<'list_sessions'>
type Present = Session['attendance'][number]

/** Who was there, as marks; the Dungeon Master changes one with a press. Nothing before it was played. */
export function SessionAttendance({ session }: { session: Session }): JSX.Element | null {
  const { campaignId, isDm, mayWrite } = useCampaign()
  const act = useAction()
  const mayMark = isDm && mayWrite
  const members = usePages('list_members', mayMark ? { campaignId, limit: 100 } : null)
  if (session.status === 'planned') return null
  const known: readonly Present[] = session.attendance
  const others = members.items.filter(
    ({ userId, role }) => role !== 'viewer' && !known.some((each) => each.userId === userId),
  )
  const everybody = [
    ...known,
    ...others.map(({ userId, username }) => ({
      userId,
      characterId: null,
      character: null,
      name: username,
      present: false,
    })),
  ]
  if (everybody.length === 0) return null
  const toggle = (one: Present) => {
    const after = everybody.map((each) => (each === one ? { ...each, present: !each.present } : each))
    const characterIds = after.flatMap(({ userId, characterId, present }) =>
      present && userId === null && characterId !== null ? [characterId] : [],
    )
    const userIds = after.flatMap(({ userId, present }) => (present && userId !== null ? [userId] : []))
    void act(
      'set_session_attendance',
      { sessionId: session.id, userIds, characterIds },
      {
        ahead: {
          what: 'The mark',
          show: (cache) => [
            cache.one('get_session', { sessionId: session.id }).overlay((now) => ({ ...now, attendance: after })),
          ],
        },
      },
    )
  }
  return (
    <Section title="Who was there" end={known.length === 0 && <span class="small faint">Nobody has said</span>}>
      <ul class="attendance-marks">
        {everybody.map((each) => {
          const mark = <span class={each.present ? 'mark-yes' : 'mark-none'} />
          const word = known.length === 0 ? 'not known' : each.present ? 'there' : 'away'
          return (
            <li key={each.userId ?? each.characterId ?? each.name}>
              {mayMark && each.userId !== null ? (
                <button type="button" class="chip" aria-pressed={each.present} onClick={() => toggle(each)}>
                  {mark}
                  {each.character ? each.character.title : each.name}
                </button>
              ) : (
                <span class="chip">
                  {mark}
                  {each.character ? each.character.title : each.name}
                  <span class="visually-hidden">, {word}</span>
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
