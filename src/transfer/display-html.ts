import type { Shown, ShownFighter, ShownMap } from './display-state.ts'
import { escaped } from './recap-html.ts'

// The page of a television. It is drawn here and sent whole whenever it looks different; its script only puts it in place.

const bandWords = { hurt: 'Hurt', bloodied: 'Bloodied', critical: 'Critical', down: 'Down', dead: 'Dead' } as const

function bandOf({ band }: ShownFighter): string {
  if (band === null || band === 'unhurt') return ''
  const look = band === 'bloodied' ? ' hurt' : band === 'hurt' ? '' : ' dire'
  return `<span class="band${look}">${bandWords[band]}</span>`
}

const spoken = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1).replaceAll('-', ' ')

function rowOf(one: ShownFighter): string {
  const signs = one.conditions.slice(0, 3).map((key) => `<span class="sign">${escaped(spoken(key))}</span>`)
  const look = [one.isFoe ? 'foe' : 'own', one.band === 'dead' ? 'gone' : ''].filter(Boolean).join(' ')
  return `<li class="${look}"><span class="face" aria-hidden="true">${escaped(one.name.trim().charAt(0).toUpperCase())}</span><span>${escaped(one.name)}<br>${bandOf(one)}${signs.join('')}</span></li>`
}

/** `code` stands in the address of the image, as it does in that of the page. */
function mapSvg(map: ShownMap, acting: string | null, code: string): string {
  const { width, height, columns, tokens } = map
  const square = width / (columns ?? 24)
  const lines: string[] = []
  if (columns !== null) {
    for (let at = 1; at < columns; at++) lines.push(`M${round(at * square)} 0V${height}`)
    for (let at = square; at < height; at += square) lines.push(`M0 ${round(at)}H${width}`)
  }
  const drawn = tokens.map(({ name, x, y, size }) => {
    const radius = round((Math.max(0.75, size) * square * 0.9) / 2)
    const isActing = acting !== null && name === acting
    const letter = escaped(name.trim().charAt(0).toUpperCase() || '•')
    return `<g class="token${isActing ? ' now' : ''}" transform="translate(${round(x * width)} ${round(y * height)})"><title>${escaped(name)}</title><circle r="${radius}"/><text font-size="${round(radius * 1.1)}" text-anchor="middle" dominant-baseline="central">${letter}</text></g>`
  })
  const image = `/display/${code}/map?v=${encodeURIComponent(map.version)}-${map.id}`
  const grid = lines.length === 0 ? '' : `<path class="grid" d="${lines.join('')}"/>`
  return `<svg class="battle" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(map.name)}"><image href="${image}" width="${width}" height="${height}"/>${grid}${drawn.join('')}</svg>`
}

const round = (value: number): number => Math.round(value * 10) / 10

/** What stands on the screen; the same for the same state. `host` is where players come in. */
export function viewOf({ campaign, isStill, fight, map }: Shown, code: string, host: string): string {
  const stage =
    map === null
      ? `<div class="plain"><p>${escaped(fight?.name ?? campaign)}</p></div>`
      : mapSvg(map, fight?.acting ?? null, code)
  const [first, ...others] = fight?.fighters ?? []
  const isFirst = first?.isActing === true
  const order = isFirst ? others : (fight?.fighters ?? [])
  const side =
    fight === null
      ? ''
      : `<section class="side" aria-live="polite"><div class="nowname"><p>Round ${fight.round}</p><h1>${escaped(fight.acting ?? 'Somebody acts')}</h1>${first?.isActing ? bandOf(first) : ''}</div><ol class="q">${order.map(rowOf).join('')}</ol></section>`
  const still = isStill
    ? '<div class="still" role="alert"><p>The table is still.</p><p class="soft">Somebody asked for a moment.</p></div>'
    : ''
  const title = fight?.name ?? map?.name ?? campaign
  return `<section class="stage">${stage}</section>${side}<footer class="caption"><strong>${escaped(title)}</strong><span>${escaped(campaign)}</span><span class="join">Join at ${escaped(host)}</span></footer>${still}`
}

export function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en" data-theme="ink">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<title>${escaped(title)}</title>
<link rel="icon" href="/icon/talekeeper.svg">
<link rel="stylesheet" href="/display/style.css">
<script src="/display/screen.js" defer></script>
</head>
<body class="tv">
${body}
</body>
</html>
`
}

export function closedPage(title: string, text: string): string {
  return pageOf(title, `<main class="closed"><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main>`)
}

/** Puts in place what comes. Where the stream ends for good the page says so; otherwise the browser opens it again. */
export const screenScript = `const main = document.querySelector('main[data-live]')
if (main) {
  const stream = new EventSource(location.pathname + '/events')
  const show = (html) => { main.innerHTML = html }
  stream.addEventListener('view', (event) => show(JSON.parse(event.data)))
  stream.addEventListener('closed', () => { stream.close(); location.reload() })
  stream.addEventListener('error', () => {
    if (stream.readyState === 2) setTimeout(() => location.reload(), 15000)
  })
}
`

export const screenStyle = `
html { font-size: clamp(16px, 1.25vw, 30px); }
body.tv { margin: 0; height: 100vh; overflow: hidden; background: #0c0b09; color: var(--text); }
body.tv main { display: grid; grid-template: minmax(0, 1fr) auto / minmax(0, 1fr) auto; height: 100vh; }
.stage { min-width: 0; min-height: 0; padding: 1.5rem 0 0 1.5rem; }
.stage:last-of-type { grid-column: 1 / -1; padding-right: 1.5rem; }
.battle { display: block; width: 100%; height: 100%; border-radius: var(--r3); background: #100f13; }
.battle .grid { fill: none; stroke: #efe0bd; stroke-opacity: .16; stroke-width: 1; vector-effect: non-scaling-stroke; }
.token circle { fill: #2a231a; stroke: #efe4cb; stroke-width: 5; }
.token text { fill: #efe4cb; font-family: var(--serif); font-weight: 600; }
.token.now circle { fill: #5c4210; stroke: #f0b94e; stroke-width: 9; }
.plain { display: grid; place-items: center; height: 100%; border-radius: var(--r3); background: #14130f; }
.plain p { font: 600 4rem/1.1 var(--serif); text-align: center; color: var(--text-2); }
.side { display: flex; flex-direction: column; width: 21rem; min-height: 0; padding: 1.75rem 1.75rem 0 1.5rem; box-sizing: border-box; }
.nowname { position: relative; margin-left: -.25rem; padding: 1.1rem 1.25rem 1.2rem 1.75rem; background: var(--brass-ground); border-radius: 0 var(--r3) var(--r3) 0; }
.nowname::before { content: ""; position: absolute; left: 0; top: 18%; width: 16px; height: 64%; background: var(--ribbon); clip-path: polygon(0 0, 100% 0, 62% 50%, 100% 100%, 0 100%); }
.nowname h1 { margin: 0; font-size: 3rem; line-height: 1; overflow-wrap: anywhere; }
.nowname p { margin: 0; font-size: 1.125rem; color: var(--text-2); }
.q { margin: .75rem 0 0; padding: 0; overflow: hidden; list-style: none; }
.q li { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1.25rem; align-items: center; padding: .5rem .25rem .5rem 1.5rem; font-size: 1.5rem; font-weight: 500; line-height: 1.3; }
.q .face { display: grid; place-items: center; width: 2.5rem; height: 3rem; border-radius: 1.25rem 1.25rem .3rem .3rem; background: var(--raise); font: 600 1.25rem/1 var(--serif); }
.q .foe .face { box-shadow: inset 0 0 0 2px #c0503f; }
.q .band, .nowname .band, .sign { margin-right: .6rem; font-size: 1.0625rem; font-weight: 400; }
.sign { color: var(--text-2); }
.q .gone { opacity: .6; text-decoration: line-through; font-weight: 400; }
.caption { grid-column: 1 / -1; display: flex; align-items: baseline; gap: 1.25rem; padding: .9rem 1.75rem 1.1rem; font-size: 1.125rem; color: var(--text-2); }
.caption strong { font: 600 1.625rem/1.1 var(--serif); color: var(--text); }
.caption .join { margin-left: auto; }
.still { position: fixed; inset: 0; display: grid; place-content: center; gap: 1rem; background: rgb(12 11 9 / .94); text-align: center; }
.still p { margin: 0; font: 600 5rem/1.1 var(--serif); }
.still .soft { font: 400 1.75rem/1.3 var(--sans); }
body.tv main.closed { display: grid; place-content: center; grid-template: none; text-align: center; }
@media (max-width: 63.99rem) {
  body.tv { height: auto; overflow: auto; }
  body.tv main { display: block; height: auto; min-height: 100vh; }
  .stage, .stage:last-of-type { padding: 0; }
  .battle { height: auto; border-radius: 0; }
  .plain { min-height: 30vh; }
  .side { width: auto; padding: 1rem; }
  .caption { flex-wrap: wrap; gap: .25rem 1rem; }
  .still p { font-size: 2.5rem; }
}
`
