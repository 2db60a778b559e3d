/** Where a letter is on the screen, in the coordinates of the window. */
export interface LetterBox {
  readonly left: number
  readonly top: number
  readonly bottom: number
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
