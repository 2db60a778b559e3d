import type { JSX } from 'preact'
import { EntityPage } from '../../kit/entity-page.tsx'
import { useCampaign } from '../../shell/context.ts'
import { After } from './after.tsx'
import { Build } from './build.tsx'
import { Runner } from './runner.tsx'
import { TableView } from './table.tsx'
import type { Fight } from './words.ts'
import './styles.ts'

/** A fight: the Dungeon Master plans, runs and settles it, whoever plays has their turn and their hit points, guests watch. */
export function FightPage({ id }: { id: number }): JSX.Element {
  const { isDm } = useCampaign()
  return (
    <EntityPage kind="encounter" id={id}>
      {(fight) => (isDm ? <Run fight={fight} /> : <TableView fight={fight} />)}
    </EntityPage>
  )
}

function Run({ fight }: { fight: Fight }): JSX.Element {
  if (fight.status === 'planning') return <Build fight={fight} />
  return fight.status === 'ended' ? <After fight={fight} /> : <Runner fight={fight} />
}
