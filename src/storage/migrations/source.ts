/** One migration as it is written down; storage/schema.ts makes its SQL of this and the declarations. */
export interface MigrationSource {
  readonly number: number
  readonly name: string
  /** SQL ahead of what follows from the declarations: tables that are no entities, a rename. */
  readonly before?: string
  /** SQL behind it: a backfill. `sort_key(text)` and `fold_text(text)` are those of kernel/sort-key.ts. */
  readonly after?: string
  /**
   * SQL behind that for what frozen migrations made and the declarations do not say any more: what is read of it for the last
   * time, and that it goes.
   */
  readonly farewell?: string
  /**
   * What followed from the declarations when it was released, and the checksum of the whole; scripts/freeze-migrations.ts
   * writes it. Null while it still follows from them: only the newest does.
   */
  readonly frozen: { readonly derived: string; readonly checksum: string } | null
}
