// What the buttons of the tray make of an expression that somebody is writing.

export const trayDice = [4, 6, 8, 10, 12, 20, 100] as const
export type Mode = 'plain' | 'advantage' | 'disadvantage'

/** One die more: it joins those of its kind, or stands behind what there is. */
export function withDie(text: string, sides: number): string {
  const bare = text.trim()
  const same = new RegExp(`(?<![\\dd])(\\d*)d${sides}(?![\\d])`, 'i')
  const found = same.exec(bare)
  if (found === null) return bare === '' ? `1d${sides}` : `${bare} + 1d${sides}`
  return bare.replace(same, `${Number(found[1] || 1) + 1}d${sides}`)
}

/** How many dice of a kind an expression holds. */
export function countOf(text: string, sides: number): number {
  const found = new RegExp(`(?<![\\dd])(\\d*)d${sides}(?![\\d])`, 'i').exec(text)
  return found === null ? 0 : Number(found[1] || 1)
}

const d20 = /(?<![\dd])\d*d20(?:k[hl]?1|adv|dis)?(?![\d])/i

export function modeOf(text: string): Mode | null {
  const found = d20.exec(text)?.[0].toLowerCase()
  if (found === undefined) return null
  if (/kl1|dis/.test(found)) return 'disadvantage'
  return /k|adv/.test(found) ? 'advantage' : 'plain'
}

/** The first twenty-sided die alone, or the better or worse of two. */
export function withMode(text: string, mode: Mode): string {
  const dice = { plain: '1d20', advantage: '2d20kh1', disadvantage: '2d20kl1' }[mode]
  const bare = text.trim()
  if (bare === '') return dice
  return d20.test(bare) ? bare.replace(d20, dice) : `${dice} + ${bare}`
}

const last = /\s*([+-])\s*(\d+)\s*$/

/** What is added at the end of it; 0 for nothing. */
export function modifierOf(text: string): number {
  const found = last.exec(text)
  return found === null ? 0 : Number(`${found[1]}${found[2]}`)
}

export function withModifier(text: string, modifier: number): string {
  const bare = text.replace(last, '').trim()
  if (modifier === 0 || bare === '') return bare
  return `${bare} ${modifier < 0 ? '-' : '+'} ${Math.abs(modifier)}`
}
