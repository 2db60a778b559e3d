import type { JSX } from 'preact'
import { After } from './after.tsx'
import { Build } from './build.tsx'
import { Runner } from './runner.tsx'
import type { Fight } from './words.ts'

/** What a Dungeon Master does with a fight: plan it, run it, settle it. */
export function FightOfDm({ fight }: { fight: Fight }): JSX.Element {
  if (fight.status === 'planning') return <Build fight={fight} />
  return fight.status === 'ended' ? <After fight={fight} /> : <Runner fight={fight} />
}
