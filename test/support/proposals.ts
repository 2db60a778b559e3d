interface Rows {
  row(table: string, id: number): Readonly<Record<string, unknown>> | undefined
}

/** What somebody approves who has just read proposals: each with its present revision. */
export function asRead(rows: Rows, ...ids: readonly number[]): readonly { proposalId: number; revision: number }[] {
  return ids.map((proposalId) => ({ proposalId, revision: Number(rows.row('proposals', proposalId)?.revision ?? 1) }))
}
