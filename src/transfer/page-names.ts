// Names of files that every system and Obsidian take (FORMATS of both): no `# | ^ [ ]` or `< > : " / \ ? *`, no control
// characters, no dot or space at an end, no name of a device, and no two that differ in case or composition alone.

const forbidden = /[#|^[\]<>:"/\\?*%\p{Cc}]/gu
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/i
/** In UTF-8, so that the ending and a number still fit into 255. */
const mostBytes = 180

/** A title as the name of a page, without its ending. */
export function pageName(title: string): string {
  let name = title.normalize('NFC').replaceAll(forbidden, ' ').replaceAll(/\s+/g, ' ').trim()
  while (Buffer.byteLength(name) > mostBytes) name = Array.from(name).slice(0, -1).join('')
  name = name.replace(/^[. ]+|[. ]+$/g, '')
  if (name === '') return 'Untitled'
  return devices.test(name) ? `${name} (page)` : name
}

export interface PageNames {
  /** A name in a folder that no other page of it has. */
  take(folder: string, title: string): string
}

export function createPageNames(): PageNames {
  const taken = new Set<string>()
  return {
    take(folder, title) {
      const name = pageName(title)
      for (let number = 1; ; number += 1) {
        const tried = number === 1 ? name : `${name} (${number})`
        const key = `${folder}/${tried}`.normalize('NFKC').toLowerCase()
        if (taken.has(key)) continue
        taken.add(key)
        return tried
      }
    },
  }
}

/** `change of reputation` -> `Changes of reputation`, `inbox item` -> `Inbox items`. */
export function pluralOf(label: string): string {
  const [head = '', ...rest] = label.split(' of ')
  const plural = /[^aeiou]y$/.test(head)
    ? `${head.slice(0, -1)}ies`
    : /(ss|x|ch|sh)$/.test(head)
      ? `${head}es`
      : head.endsWith('s')
        ? head
        : `${head}s`
  const whole = [plural, ...rest].join(' of ')
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}

/** `dmSecret` -> `Dm secret`; what a field is called in a page. */
export function wordsOf(key: string): string {
  const words = key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
