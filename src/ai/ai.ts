import type { ModelPort } from '../kernel/model-port.ts'
import type { System } from '../kernel/system.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import { patience } from './attempt.ts'
import { createModelPort, type ModelParts } from './model.ts'
import { providerTransfers } from './provider-transfers.ts'
import { settleLeftOpen } from './reservations.ts'
import type { Vendor } from './vendor.ts'
import { type AiWork, createAiWork } from './work.ts'

/** What tests bring instead of the usual: how long is waited, how a name is looked up, or the whole of it. */
export type ModelOptions = Partial<Pick<ModelParts, 'lookup' | 'patienceFor' | 'pause'>> & {
  /** The port itself, where a test says what the model answers. */
  readonly port?: ModelPort
}

interface AiParts extends Pick<ModelParts, 'store' | 'clock' | 'random' | 'keyfile' | 'isLocal'> {
  readonly options: ModelOptions
  readonly log: { warn(facts: object, message: string): void; error(facts: object, message: string): void }
  system(): System
  /** Loads ai/vendor.ts. */
  loadVendor(): Promise<unknown>
  /** Where this server listens. */
  addresses(): readonly (string | { readonly port: number })[]
}

export interface Ai {
  readonly model: ModelPort
  readonly transfers: readonly AnyTransfer[]
  /** What runs beside the requests: the scribe, and turns of the seat. */
  readonly work: AiWork
  /** Whenever a database is opened: what the process that had it before left open. Never throws. */
  settle(): void
}

/** All that knows a language model, on one server. */
export function createAi({ options: { port, ...options }, log, system, loadVendor, addresses, ...parts }: AiParts): Ai {
  let vendor: Promise<Vendor> | undefined
  const modelParts: ModelParts = {
    ...parts,
    vendor: () => (vendor ??= loadVendor().then((loaded) => (loaded as { readonly clients: Vendor }).clients)),
    ownPorts: () => addresses().flatMap((address) => (typeof address === 'string' ? [] : [address.port])),
    patienceFor: ({ reach }) => patience[reach],
    ...options,
  }
  const model = port ?? createModelPort(modelParts)
  return {
    model,
    work: createAiWork({ model, log, system, store: parts.store, clock: parts.clock }),
    transfers: providerTransfers({ ...modelParts, system }),
    settle() {
      try {
        settleLeftOpen(parts.store(), parts.clock().toISOString())
      } catch (error) {
        log.warn({ err: error }, 'What calls of the AI cost could not be written down. The next start tries it again.')
      }
    },
  }
}
