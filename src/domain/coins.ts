/** No purse holds more of one kind. */
export const mostCoins = 1_000_000_000

export type Coins = Readonly<Record<string, number>>

/** Why a purse cannot be changed so. */
export interface Short {
  readonly coin: string
  readonly has: number
  readonly lacks: number
}

/**
 * A purse after coins were put in and taken out. Nothing is changed for other coins, and no kind goes below nought: then it says
 * which and by how many. Kinds of which there are none are left away.
 */
export function applied(purse: Coins, delta: Coins): Coins | Short {
  const after: Record<string, number> = { ...purse }
  for (const [coin, count] of Object.entries(delta)) {
    const has = after[coin] ?? 0
    if (has + count < 0) return { coin, has, lacks: -(has + count) }
    after[coin] = has + count
  }
  return Object.fromEntries(Object.entries(after).filter(([, count]) => count !== 0))
}

export function isShort(result: Coins | Short): result is Short {
  return 'lacks' in result && 'coin' in result && typeof result.coin === 'string'
}

/** What a purse is worth in the smallest coin, by what each kind is worth. */
export function worth(purse: Coins, values: ReadonlyMap<string, number>): number {
  return Object.entries(purse).reduce((sum, [coin, count]) => sum + count * (values.get(coin) ?? 0), 0)
}
