import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { IconButton } from '../../kit/button.tsx'
import { FilterField } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { matches } from '../../kit/list.tsx'
import { WindowedList } from '../../kit/windowed-list.tsx'
import { useCampaign } from '../../shell/context.ts'
import type { Bond, Soul } from './bonds.ts'
import { Face } from './face.tsx'

const textOf = ({ ends, halves }: Bond): string =>
  [...ends.map(({ title }) => title), ...halves.map(({ word }) => word)].join(' ')

/** The same web as a list: who, and what in whose words. `first` stands first in every pair that it is one of. */
export function BondList({
  bonds,
  first,
  onChange,
}: {
  bonds: readonly Bond[]
  first: string | null
  onChange: (bond: Bond) => void
}): JSX.Element {
  const { isDm, mayWrite } = useCampaign()
  const [typed, setTyped] = useState('')
  const shown = typed.trim() === '' ? bonds : bonds.filter((bond) => matches(typed.trim(), textOf(bond)))
  return (
    <>
      {bonds.length > 6 && <FilterField value={typed} onValue={setTyped} placeholder="A name, or what binds them" />}
      <ul class="bonds">
        <WindowedList items={shown} narrowed={typed} inList>
          {(bond) => {
            const ends: readonly Soul[] = bond.ends[1].key === first ? [bond.ends[1], bond.ends[0]] : bond.ends
            const [one, other] = ends as readonly [Soul, Soul]
            return (
              <li key={bond.key}>
                <span class="pair">
                  <Face soul={one} size="s" />
                  <Face soul={other} size="s" />
                </span>
                <div>
                  <p class="small faint pair-names">
                    {one.title} and {other.title}
                  </p>
                  {ends.flatMap((end) =>
                    bond.halves
                      .filter(({ of }) => of === end.key)
                      .map((half) => (
                        <p key={`${half.relation.id} ${half.half}`}>
                          <strong class={end.hidden ? 'dm-ink' : undefined}>{end.title}</strong>{' '}
                          <span class={half.hidden ? 'dm-ink' : 'soft'}>
                            {half.hidden && <Icon name="eyeoff" size="s" />} {half.word}
                          </span>
                        </p>
                      )),
                  )}
                </div>
                {isDm && mayWrite && (
                  <IconButton
                    icon="pen"
                    label={`Change what binds ${one.title} and ${other.title}`}
                    onClick={() => onChange(bond)}
                  />
                )}
              </li>
            )
          }}
        </WindowedList>
      </ul>
      {typed !== '' && shown.length === 0 && <p class="soft">Nobody here is bound like that. Try a shorter word.</p>}
    </>
  )
}
