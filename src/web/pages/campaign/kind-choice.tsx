import type { JSX } from 'preact'
import { allKinds } from '../../kinds.ts'
import { Choice } from '../../kit/choice.tsx'
import { capitalize } from '../../kit/format.ts'

/** What is told of to the party, which is what people look for again; the rest is found by typing. */
const kinds = allKinds.filter(({ news, titleOf }) => news && titleOf)

/** A list narrowed to one kind of thing. */
export function KindChoice({ value, onValue }: { value: string; onValue: (value: string) => void }): JSX.Element {
  return (
    <Choice
      label="Which kind of thing"
      value={value}
      onValue={onValue}
      options={[
        { value: '', word: 'All kinds' },
        ...kinds.map(({ name, many }) => ({ value: name as string, word: capitalize(many) })),
      ]}
    />
  )
}
