import { type ReadonlySignal, type Signal, signal } from '@preact/signals'

/** Through whose eyes a Dungeon Master looks, and in which campaign. */
export interface LookedAs {
  readonly campaignId: number
  readonly memberId: number
  readonly userId: number
  readonly name: string
}

/** Whose eyes the pages of a campaign are read through. This tab remembers it over a reload. */
export interface Looking {
  readonly as: ReadonlySignal<LookedAs | null>
  /** It is being asked through whose. */
  readonly asked: Signal<boolean>
  begin(as: LookedAs): void
  end(): void
}

const STORAGE_KEY = 'talekeeper-looking-as'

function kept(store: Pick<Storage, 'getItem'>): LookedAs | null {
  try {
    return JSON.parse(store.getItem(STORAGE_KEY) ?? 'null') as LookedAs | null
  } catch {
    return null
  }
}

/** `onChange` runs before anything is shown through other eyes. */
export function createLooking(
  store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  onChange: () => void,
): Looking {
  const as = signal(kept(store))
  const look = (next: LookedAs | null) => {
    if (as.peek() === next) return
    if (next) store.setItem(STORAGE_KEY, JSON.stringify(next))
    else store.removeItem(STORAGE_KEY)
    onChange()
    as.value = next
  }
  return { as, asked: signal(false), begin: look, end: () => look(null) }
}
