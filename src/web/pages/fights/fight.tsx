import type { JSX } from 'preact'
import { EntityPage } from '../../kit/entity-page.tsx'
import { useCampaign } from '../../shell/context.ts'
import { Runner } from './runner.tsx'
import { TableView } from './table.tsx'
import './styles.ts'

/** A fight: the Dungeon Master runs it, whoever plays has their turn and their hit points, guests watch. */
export function FightPage({ id }: { id: number }): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <EntityPage kind="encounter" id={id}>
      {(fight) => (isDm ? <Runner fight={fight} /> : <TableView fight={fight} />)}
    </EntityPage>
  )
}
