/** Chance: cryptographic in the running program, seeded in tests. */
export interface Random {
  /** A whole number between two, both included, each as likely as the others. They lie less than 2^48 apart. */
  integer(from: number, to: number): number
  bytes(count: number): Uint8Array
  /** 22 base64url characters (128 random bits): a name that nothing else has. */
  id(): string
}
