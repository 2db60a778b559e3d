/** Two names that fold to the same text are the same name, in every script. SQLite's NOCASE knows ASCII only. */
export function foldUsername(username: string): string {
  return username.trim().normalize('NFKC').toLowerCase()
}
