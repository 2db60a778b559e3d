// What images of all formats are taken apart with.

/**
 * `pieces`: the file in pieces of its own bytes and of new ones. `redraw`: it is understood, and what goes with its metadata
 * decides how it is shown (which way up, in which colours), so that its pixels have to be made anew. Null: it is not understood.
 */
export type Stripped = { readonly pieces: readonly Uint8Array[] } | 'redraw' | null

/** Something stands where it may not, or is of a kind that is not known here. */
export class NotUnderstood extends Error {}

/** The piece of a buffer from here, so long. Throws where it is shorter. */
export function part(bytes: Buffer, from: number, length: number): Buffer {
  if (length < 0 || from < 0 || from + length > bytes.length) throw new NotUnderstood()
  return bytes.subarray(from, from + length)
}

export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Whether a colour profile says, by its name, what a picture without one means anyway. */
export function isSrgb(profile: Buffer): boolean {
  if (profile.length < 132 || profile.toString('latin1', 16, 20) !== 'RGB ') return false
  for (let tag = 0; tag < Math.min(profile.readUInt32BE(128), 100); tag += 1) {
    const at = 132 + tag * 12
    if (part(profile, at, 4).toString('latin1') !== 'desc') continue
    const name = part(profile, profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8))
    return name.toString('latin1').replaceAll('\0', '').includes('sRGB')
  }
  return false
}
