/**
 * Writes into a text box in place of what stands from `start` to `end`, as if it was typed: the browser can undo it, the
 * page hears of it as of any input, and the caret stands behind it.
 */
export function writeInto(area: HTMLTextAreaElement, text: string, start: number, end: number): void {
  area.focus()
  area.setSelectionRange(start, end)
  // Deprecated, and the only way that keeps what can be undone.
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, start, end, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
