/** Bounds that several places share. Lengths are in UTF-16 units, sizes in bytes. */
export const limits = {
  name: 120,
  line: 300,
  prose: 50_000,
  tag: 40,
  tags: 30,
  query: 200,
  page: { standard: 50, most: 200 },
  batch: 200,
  reason: 500,
  idempotencyKey: 128,
  /** How long an idempotency key answers for its first use. */
  idempotencyHours: 24,
  jsonBodyBytes: 1024 * 1024,
  mcpBodyBytes: 8 * 1024 * 1024,
  uploadBytes: 32 * 1024 * 1024,
  inlineUploadBytes: 5 * 1024 * 1024,
  imagePixels: 40_000_000,
  /** Fifty phones with their streams, several times over; each costs memory before anybody has said who they are. */
  connections: 1000,
  /** The longest that an operation gets ready for its transaction, all that is approved at once included. */
  prepareMs: 5 * 60 * 1000,
} as const
