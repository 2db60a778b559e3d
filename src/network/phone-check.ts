import { randomInt } from 'node:crypto'

/** Somebody wants to know whether a phone can come in. */
export interface PhoneCheck {
  /** What the phone reads: two who see the same word are talking to the same server. */
  readonly word: string
  readonly startedAt: string
  /** The last that came to /hello from elsewhere. */
  readonly knock: { readonly at: string; readonly address: string } | null
}

export interface PhoneChecks {
  /** Begins one; the one before it is over. */
  begin(): PhoneCheck
  /** Null where nobody has asked for a while. */
  current(): PhoneCheck | null
  /** Somebody came to /hello. Returns the word to show them. */
  knock(address: string): string | null
}

const openMs = 10 * 60 * 1000

export function createPhoneChecks(clock: () => Date): PhoneChecks {
  let check: PhoneCheck | null = null
  const current = (): PhoneCheck | null => {
    const isOver = check !== null && clock().getTime() - Date.parse(check.startedAt) > openMs
    return isOver ? null : check
  }
  return {
    current,
    begin() {
      const others = words.filter((word) => word !== check?.word)
      check = { word: others[randomInt(others.length)] ?? 'quince', startedAt: clock().toISOString(), knock: null }
      return check
    },
    knock(address) {
      const open = current()
      if (open === null) return null
      check = { ...open, knock: { at: clock().toISOString(), address } }
      return open.word
    },
  }
}

/** Short, easily told apart aloud. */
const words =
  'quince lantern ferry juniper saddle harbour pepper walnut badger mitten copper orchard thistle anchor velvet heron clover turnip beacon ribbon otter marble cider willow button falcon ginger paddle raven mustard'.split(
    ' ',
  )
