/**
 * SQLite plans a SELECT anew whenever a value is bound that its planner looks at: for small integers it guesses better,
 * and pays with several times what the statement costs. It looks at bare parameters only.
 */
export function planKept(sql: string): string {
  if (!/^\s*SELECT\b/i.test(sql)) return sql
  return sql.replaceAll(/'(?:[^']|'')*'|@\w+/g, (part) => (part.startsWith('@') ? `coalesce(${part}, NULL)` : part))
}
