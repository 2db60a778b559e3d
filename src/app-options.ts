import type { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import type { ModelOptions } from './ai/ai.ts'
import type { AiWork } from './ai/work.ts'
import type { Archive } from './archive/archive.ts'
import type { Config } from './config.ts'
import type { Computer } from './desktop/computer-transfers.ts'
import type { Instance } from './desktop/instance.ts'
import type { Identity } from './identity/identity.ts'
import type { Entity } from './kernel/entity.ts'
import type { AnyOperation } from './kernel/operation.ts'
import type { Random } from './kernel/random.ts'
import type { Settings } from './kernel/settings.ts'
import type { System } from './kernel/system.ts'
import type { AnyTransfer } from './kernel/transfer.ts'
import type { Hub } from './live/hub.ts'
import type { NetworkAccess, Surroundings } from './network/network.ts'
import type { Network } from './oauth/guarded-fetch.ts'
import type { Oauth } from './oauth/oauth.ts'
import type { Alerts } from './server/alerts.ts'
import type { Files } from './storage/files.ts'
import type { Store } from './storage/store.ts'
import type { JoinedTravel } from './transfer/join-travel.ts'

// What the composition root (app.ts) is given, and what it gives.

export interface AppOptions {
  readonly config: Config
  readonly version: string
  readonly clock?: () => Date
  readonly files?: Files
  /** Where log lines go instead of standard output. */
  readonly logStream?: { write(line: string): void }
  /** Called as each step of a restore is reached; tests end the process there. */
  readonly checkpoint?: (step: string) => void
  /** Told when the process has to end because no database may be opened any more. */
  readonly onLost?: (error: unknown) => void
  /** Told when the command line asks this program to end. */
  readonly onStop?: () => void
  /** The way to the documents of OAuth clients; tests stay on this machine. */
  readonly network?: Network
  /** Starts the threads for long work. */
  readonly startThread?: () => Worker
  /** Where what goes wrong beside the requests is told. */
  readonly alerts?: Alerts
  /** This process's claim of the data folder. */
  readonly instance?: Instance
  /** A command of this program as it can be typed here, for what a message tells to do. */
  readonly command?: (...args: readonly string[]) => string
  /** How an AI client starts this program as its bridge. */
  readonly bridge?: { readonly command: string; readonly args: readonly string[] }
  /** The networks of this machine; tests have their own. */
  readonly surroundings?: Surroundings
  /** The machine that somebody sits at; absent for a service. */
  readonly computer?: Computer
  /** Hears the text of each database statement; tests read their plans. */
  readonly onPrepare?: (sql: string) => void
  /** Where dice and names that nothing else has come from; tests expect them by value. */
  readonly random?: Random
  /** The document of the rule pack that a new installation begins with. */
  readonly starterPack?: () => Uint8Array | undefined
  /** A picture of the sample campaign, by the name of its file; without this it has none. */
  readonly samplePicture?: (name: string) => Uint8Array | undefined
  /** How long is waited for the AI provider, and how its name is looked up; tests have their own. */
  readonly model?: ModelOptions
  /** What can be done and with what; tests add to it. */
  readonly catalogue?: { readonly entities: readonly Entity[]; readonly operations: ReadonlyMap<string, AnyOperation> }
}

export interface App {
  readonly server: FastifyInstance
  /** Every route that is no operation. */
  readonly transfers: readonly AnyTransfer[]
  readonly identity: Identity
  readonly oauth: Oauth
  readonly archive: Archive
  readonly hub: Hub
  /** What the model is put to beside the requests. */
  readonly ai: AiWork
  /** What the command line asks of campaigns. */
  readonly campaigns: JoinedTravel['commands']
  /** What people choose while it runs. */
  readonly settings: Settings
  /** Who may come in from the networks at hand. */
  readonly access: Pick<NetworkAccess, 'state'>
  system(): System
  store(): Store
  /** Listens; where the port is taken and was not named by the user, on the next free one of ten. Returns the address. */
  listen(): Promise<string>
  /** The one-time code of the first start, or null when the server is set up. */
  setUpCode(): string | null
  /** Ends streams, closes the database and leaves no `-wal` behind. */
  stop(): Promise<void>
}
