import { entryNames, hashOfFileKey, uploadPrefix } from './format.ts'

const deviceNames = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

/**
 * Why a name must not be used as a path, or undefined when it is safe. It is judged in every spelling that some system
 * or unpacker takes for a path: percent signs, backslashes, full-width and other look-alike characters.
 */
export function unsafeReason(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > 255) return 'it is too long'
  for (const spelling of spellings(name)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    if (/[\u0000-\u001f\u007f-\u009f]/.test(spelling)) return 'it holds a control character'
    if (spelling.includes('\\')) return 'it holds a backslash'
    if (spelling.startsWith('/')) return 'it is absolute'
    if (spelling.includes(':')) return 'it names a drive or stream'
    for (const part of spelling.split('/')) {
      if (part === '') return 'it has an empty part'
      if (/^\.+$/.test(part)) return 'it leaves its folder'
      if (/[. ]$/.test(part)) return 'a part ends in a dot or space'
      if (deviceNames.test(part)) return 'a part is the name of a device'
    }
  }
  if (/[^\u0020-\u007e]/.test(name)) return 'it holds characters other than ASCII'
  return undefined
}

/** The name itself, and what it becomes when unescaped (twice) or brought to compatibility form. */
function spellings(name: string): ReadonlySet<string> {
  const found = new Set([name, name.normalize('NFKC')])
  for (const each of [...found]) {
    const once = percentDecoded(each)
    found.add(once).add(percentDecoded(once))
  }
  return found
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    // Overlong UTF-8 (%c0%af) is not valid, but lax decoders read it as a slash.
    return name.replaceAll(/%c0%af|%c1%9c/gi, '/').replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => {
      return String.fromCharCode(Number.parseInt(hex, 16))
    })
  }
}

export type EntryRole = 'manifest' | 'database' | 'keyfile' | 'upload'

/** What an entry of this name is in the layout (SPEC 2.4), or undefined when the layout has no such entry. */
export function roleOf(name: string): EntryRole | undefined {
  if (name === entryNames.manifest) return 'manifest'
  if (name === entryNames.database) return 'database'
  if (name === entryNames.keyfile) return 'keyfile'
  return hashOfUploadEntry(name) === undefined ? undefined : 'upload'
}

/** The SHA-256 that the name of an upload entry promises; undefined when it is not one. */
export function hashOfUploadEntry(name: string): string | undefined {
  return name.startsWith(uploadPrefix) ? hashOfFileKey(name.slice(uploadPrefix.length)) : undefined
}
