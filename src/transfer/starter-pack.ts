import { compareVersions } from '../domain/rule-pack/format.ts'
import { putOnShelf } from '../domain/rule-pack/operations.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { RulePacks } from '../kernel/rule-shelf.ts'
import type { System } from '../kernel/system.ts'
import { installedVersion } from '../storage/rule-entries.ts'
import type { Store } from '../storage/store.ts'

export interface StarterParts {
  readonly system: System
  store(): Store
  readonly rulePacks: RulePacks
  /** The document that came with the program; undefined where there is none. */
  readonly document: (() => Uint8Array | undefined) | undefined
  readonly stopping: AbortSignal
  readonly log: { warn(facts: object, message: string): void }
}

/**
 * Puts the rule pack that comes with the program on the shelf of a new installation, and a newer version of it in the place
 * of an older. Where somebody has removed it, it stays away. A failure is logged and tried again at the next start.
 */
export async function installStarterPack({
  system,
  store,
  rulePacks,
  document,
  stopping,
  log,
}: StarterParts): Promise<void> {
  try {
    const bytes = document?.()
    if (bytes === undefined) return
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const { key, version } = value as { readonly key: string; readonly version: string }
    const present = installedVersion(store(), key)
    if (present.version === null ? present.ever : compareVersions(version, present.version) <= 0) return
    const leave = await system.acquireShared()
    try {
      const staged = await rulePacks.stage({ value }, stopping)
      system.transaction((unit) =>
        recordChange(unit, { operation: 'install_rule_pack', effect: 'write', by: 0 }, ({ context }) =>
          putOnShelf(context, staged),
        ),
      )
    } finally {
      leave()
    }
  } catch (error) {
    if (!stopping.aborted) log.warn({ err: error }, 'The rule pack that comes with the program was not installed.')
  }
}
