import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'
import { SubForm } from './field.tsx'

interface RepeatedRowsProps<T> {
  /** The member of the input that the rows fill: complaints about `name.2.text` stand in the third row. */
  readonly name: string
  /** What one row is called: `Step` makes `Step 1`, `Add a step` is for `addWord` to say. */
  readonly one: string
  readonly addWord: string
  readonly rows: readonly T[]
  readonly onRows: (rows: readonly T[]) => void
  /** A new row. */
  readonly blank: T
  readonly max?: number
  /** Rows can be moved: their order means something. */
  readonly ordered?: boolean
  readonly children: (row: T, change: (change: Partial<T>) => void, index: number) => ComponentChildren
}

/** Rows of one form that can be added, taken away and moved, with the keyboard too. There is always one. */
export function RepeatedRows<T extends object>(props: RepeatedRowsProps<T>): JSX.Element {
  const { name, one, addWord, rows, onRows, blank, max = 50, ordered, children } = props
  const self = useRef<HTMLDivElement>(null)
  const last = useRef(rows.length)
  const [keys, setKeys] = useState<readonly number[]>(() => rows.map((_, index) => index))
  const [focused, setFocused] = useState<number | null>(null)
  // Rows that were taken away from outside (they were sent) take the first keys with them.
  const shownKeys = rows.map((_, index) => keys[keys.length - rows.length + index] ?? index)

  useEffect(() => {
    if (focused === null) return
    const row = self.current?.querySelectorAll<HTMLElement>('.repeated-row')[focused]
    row?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    setFocused(null)
  }, [focused])

  const put = (next: readonly T[], nextKeys: readonly number[], focus: number) => {
    setKeys(nextKeys)
    onRows(next)
    setFocused(focus)
  }
  const add = () => {
    last.current += 1
    put([...rows, blank], [...shownKeys, last.current], rows.length)
  }
  const remove = (index: number) => {
    const without = <V,>(all: readonly V[]) => all.filter((_, at) => at !== index)
    put(without(rows), without(shownKeys), Math.max(0, index - 1))
  }
  const move = (index: number, by: 1 | -1) => {
    const moved = <V,>(all: readonly V[]) => {
      const next = [...all]
      next.splice(index + by, 0, ...next.splice(index, 1))
      return next
    }
    put(moved(rows), moved(shownKeys), index + by)
  }
  return (
    <div ref={self} class="repeated-rows">
      {rows.map((row, index) => (
        <div key={shownKeys[index]} class="repeated-row">
          <SubForm name={`${name}.${index}`} title={`${one} ${index + 1}`} quietTitle>
            {children(
              row,
              (change) => onRows(rows.map((each, at) => (at === index ? { ...each, ...change } : each))),
              index,
            )}
          </SubForm>
          {rows.length > 1 && (
            <span class="moves">
              {ordered && (
                <>
                  <IconButton
                    icon="up"
                    label={`${one} ${index + 1} up`}
                    disabled={index === 0}
                    onClick={() => move(index, -1)}
                  />
                  <IconButton
                    icon="down"
                    label={`${one} ${index + 1} down`}
                    disabled={index === rows.length - 1}
                    onClick={() => move(index, 1)}
                  />
                </>
              )}
              <IconButton
                icon="x"
                label={`Take ${one.toLowerCase()} ${index + 1} away`}
                onClick={() => remove(index)}
              />
            </span>
          )}
        </div>
      ))}
      {rows.length < max && (
        <Button variant="quiet" icon="plus" class="outdent" onClick={add}>
          {addWord}
        </Button>
      )}
    </div>
  )
}
