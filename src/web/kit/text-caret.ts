/** Where a letter of a text box is on the screen, in the coordinates of the window. */
export interface LetterBox {
  readonly left: number
  readonly top: number
  readonly bottom: number
}

/** What decides where the letters of a text box stand. */
const SHAPING = [
  'direction',
  'font-family',
  'font-feature-settings',
  'font-kerning',
  'font-size',
  'font-stretch',
  'font-style',
  'font-variation-settings',
  'font-weight',
  'letter-spacing',
  'line-height',
  'overflow-wrap',
  'padding-bottom',
  'padding-left',
  'padding-right',
  'padding-top',
  'tab-size',
  'text-align',
  'text-indent',
  'text-transform',
  'word-break',
  'word-spacing',
] as const

/**
 * A text box does not tell where its letters stand: they are laid out once more in an element beside it that does, with
 * the same width and the same letters, so that lines break alike.
 */
export function letterBox(area: HTMLTextAreaElement, index: number): LetterBox {
  const style = getComputedStyle(area)
  const twin = document.createElement('div')
  for (const property of SHAPING) twin.style.setProperty(property, style.getPropertyValue(property))
  Object.assign(twin.style, {
    position: 'fixed',
    top: '0',
    left: '0',
    boxSizing: 'border-box',
    // Without the borders, and without a scroll bar.
    width: `${area.clientWidth}px`,
    whiteSpace: 'pre-wrap',
    visibility: 'hidden',
    pointerEvents: 'none',
  })
  const letters = document.createTextNode(`${area.value} `)
  twin.append(letters)
  document.body.append(twin)
  const range = document.createRange()
  range.setStart(letters, index)
  range.setEnd(letters, index + 1)
  const [letter, box] = [range.getBoundingClientRect(), twin.getBoundingClientRect()]
  twin.remove()
  const outside = area.getBoundingClientRect()
  const top = outside.top + area.clientTop + letter.top - box.top - area.scrollTop
  return {
    left: outside.left + area.clientLeft + letter.left - box.left - area.scrollLeft,
    top,
    bottom: top + letter.height,
  }
}

/** The part of the window that is to be seen: without a phone's keyboard. */
function seenPart() {
  const { offsetLeft = 0, offsetTop = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {}
  return { left: offsetLeft, top: offsetTop, right: offsetLeft + width, bottom: offsetTop + height }
}

const FROM_LINE = 6
const FROM_EDGE = 8
/** With this much room a sheet stays below its line, since what was written last is read above it. */
const ENOUGH = 200

/** Puts a sheet below a line of text, or above it where there is too little room: inside what is seen, never over the line. */
export function placeAtLine(sheet: HTMLElement, line: LetterBox): void {
  const seen = seenPart()
  sheet.style.maxHeight = ''
  const { offsetWidth: width, offsetHeight: wanted } = sheet
  const above = line.top - seen.top - FROM_LINE - FROM_EDGE
  const below = seen.bottom - line.bottom - FROM_LINE - FROM_EDGE
  const isBelow = below >= Math.min(wanted, ENOUGH) || below >= above
  const height = Math.max(0, Math.min(wanted, isBelow ? below : above))
  sheet.style.maxHeight = `${height}px`
  sheet.style.top = `${isBelow ? line.bottom + FROM_LINE : line.top - FROM_LINE - height}px`
  const left = Math.min(line.left, seen.right - FROM_EDGE - width)
  sheet.style.left = `${Math.max(seen.left + FROM_EDGE, left)}px`
}
