export const mebibyte = 1024 * 1024
/** Of the document, of one value in it, and of a zip with its pictures. In bytes. */
export const importLimits = {
  documentBytes: 256 * mebibyte,
  valueBytes: 2 * mebibyte,
  zipBytes: 4096 * mebibyte,
  pictureBytes: 32 * mebibyte,
  depth: 32,
  rows: 1_000_000,
} as const
