import type { JSX } from 'preact'
import { EntityPage } from '../../kit/entity-page.tsx'
import { useCampaign } from '../../shell/context.ts'
import { lazy } from '../../shell/lazy.tsx'
import { TableView } from './table.tsx'
import './styles.ts'

// A phone at the table fetches none of it.
const FightOfDm = lazy(async () => (await import('./of-dm.tsx')).FightOfDm)

/** A fight: the Dungeon Master plans, runs and settles it, whoever plays has their turn and their hit points, guests watch. */
export function FightPage({ id }: { id: number }): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <EntityPage kind="encounter" id={id}>
      {(fight) => (isDm ? <FightOfDm fight={fight} /> : <TableView fight={fight} />)}
    </EntityPage>
  )
}
