import { long } from '../support/long.ts'

/** How many pages of one walk are looked at beside each other: in CI other files run beside this one. */
const lanes = long ? 3 : 1

/** Does what is to be done with each of the items, beside each other by as many as there are lanes, in their order. */
export async function inLanes<Lane, Item>(
  items: readonly Item[],
  lane: { open(): Promise<Lane>; close(lane: Lane): Promise<void> },
  work: (lane: Lane, item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const own = await lane.open()
      for (let index = next++; index < items.length; index = next++) await work(own, items[index] as Item, index)
      await lane.close(own)
    }),
  )
}
