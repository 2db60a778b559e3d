/**
 * Puts a style sheet of some pages alone (`*.page.css`) into the document, and waits until it counts. A page's module awaits
 * it at its top, so that it is there before the page is. Once is enough; one that does not come leaves the page plain.
 */
export function styleSheet(url: string): Promise<void> {
  return new Promise((resolve) => {
    if (document.querySelector(`link[href="${url}"]`) !== null) return resolve()
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = url
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
    document.head.append(link)
  })
}
