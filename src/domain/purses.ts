import type { Context } from '../kernel/context.ts'
import { fail, invalid } from '../kernel/errors.ts'
import { applied, type Coins, isShort, mostCoins } from './coins.ts'
import { rulesOf } from './sheets.ts'
import { purse, purseEntry } from './treasury/entity.ts'

/**
 * Puts coins into the purse of the party and takes them out, with a line of its ledger. Throws `validation_failed` where a kind is
 * none of the game's or nothing would change, `invalid_state` where there are not as many.
 */
export function changePurse(context: Context, given: Coins, reason: string | null, member = 'delta'): void {
  const system = rulesOf(context)
  const delta = Object.fromEntries(Object.entries(given).filter(([, count]) => count !== 0))
  if (Object.keys(delta).length === 0) throw invalid(member, 'at least one coin')
  const stranger = Object.keys(delta).find((coin) => !system.coins.some(({ key }) => key === coin))
  if (stranger !== undefined) {
    const names = system.coins.map(({ key }) => key).join(', ')
    throw invalid(`${member}.${stranger}`, 'no coin of this game', `${system.title} pays in ${names}.`)
  }
  const before = context.unfiltered(purse).first()
  const after = applied(before?.coins ?? {}, delta)
  if (isShort(after)) {
    const name = system.coins.find(({ key }) => key === after.coin)?.name.toLowerCase() ?? after.coin
    throw fail('invalid_state', `There are ${after.has} ${name} in the purse: ${after.lacks} are lacking.`)
  }
  if (Object.values(after).some((count) => count > mostCoins))
    throw invalid(member, `a purse holds at most ${mostCoins} of one kind`)
  const purseId = before?.id ?? context.write(purse).insert({})
  context.write(purse).update(purseId, { coins: { ...after } })
  context.write(purseEntry).insert({
    purseId,
    byUserId: context.actor.userId,
    delta,
    balance: { ...after },
    reason,
  })
}
