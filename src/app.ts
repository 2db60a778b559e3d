import { readFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { type Archive, createArchive } from './archive/archive.ts'
import type { ArchiveLog } from './archive/ports.ts'
import { archiveTransfers } from './archive/transfers.ts'
import { readAsset, readStyleSheet, startWorker } from './assets.ts'
import { operations as all, entities as allEntities, consequences, serverOperations, toolsetsOf } from './catalogue.ts'
import { type Config, chosenBackup, settingsWithoutSecrets } from './config.ts'
import { instanceTransfers } from './desktop/commands.ts'
import { type Computer, computerTransfers } from './desktop/computer-transfers.ts'
import { diagnosticsTransfers } from './desktop/diagnostics.ts'
import { announceOrTell, type Instance } from './desktop/instance.ts'
import { stopTransfers } from './desktop/stop.ts'
import { filed, filedOutput } from './domain/proposal/operations.ts'
import { listenOn, reachable } from './http/listen.ts'
import { createServer } from './http/server.ts'
import { callsPerMinute, createThrottle } from './http/throttle.ts'
import { recordRestore } from './identity/audit.ts'
import { endingsOf } from './identity/endings.ts'
import { addressGroup, isLoopbackAddress } from './identity/hosts.ts'
import { createIdentity, type Identity } from './identity/identity.ts'
import { previewInvite } from './identity/invite-preview.ts'
import { signInWith } from './identity/sign-in-transfers.ts'
import { createSiteRules } from './identity/site-rules.ts'
import type { Entity } from './kernel/entity.ts'
import { executeWithin } from './kernel/execute.ts'
import { createMaintenanceLock, runShared } from './kernel/maintenance-lock.ts'
import type { AnyOperation } from './kernel/operation.ts'
import type { Random } from './kernel/random.ts'
import type { Settings } from './kernel/settings.ts'
import type { System } from './kernel/system.ts'
import type { AnyTransfer } from './kernel/transfer.ts'
import { createHub, type Hub } from './live/hub.ts'
import { liveTransfers } from './live/transfers.ts'
import { whenUnannounced } from './live/unannounced.ts'
import { assistantTransfers } from './mcp/assistant-transfers.ts'
import type { Log as McpLog } from './mcp/caller.ts'
import { createMcp } from './mcp/endpoint.ts'
import { createNetworkAccess, type NetworkAccess, type Surroundings } from './network/network.ts'
import { type Network, standardNetwork } from './oauth/guarded-fetch.ts'
import { createOauth, type Oauth } from './oauth/oauth.ts'
import { toolCounts } from './oauth/tool-counts.ts'
import { type Alerts, createAlerts } from './server/alerts.ts'
import { watchClockJumps } from './server/clock-jumps.ts'
import { createCurrentStore } from './server/current-store.ts'
import { allAlerts, checkBackupFolder } from './server/folder-alerts.ts'
import { choresOf, createHousekeeping } from './server/housekeeping.ts'
import { createLiveInstallation } from './server/live-installation.ts'
import { mayBegin, openDataFolder } from './server/open-data-folder.ts'
import { createSettings, rememberPort } from './server/settings.ts'
import { settingsTransfers } from './server/settings-transfers.ts'
import { uploadChore } from './server/upload-chore.ts'
import { dataPaths } from './storage/data-folder.ts'
import { createFiles, type Files, freeBytesAt, keepingRoot } from './storage/files.ts'
import { createImages } from './storage/images.ts'
import { examineDatabase, hasRoom } from './storage/readiness.ts'
import { createRegistry } from './storage/registry.ts'
import { migrationsOf } from './storage/schema.ts'
import { createSearcher } from './storage/searcher.ts'
import { cryptographicRandom } from './storage/secrets.ts'
import type { Store } from './storage/store.ts'
import { createSystem } from './storage/system.ts'
import { createWorkers } from './storage/workers.ts'
import { attachmentTransfers } from './transfer/attachments.ts'
import { createCalendarFeeds } from './transfer/calendar-feed.ts'
import { createDownloads } from './transfer/downloads.ts'
import { type JoinedTravel, joinTravel } from './transfer/join-travel.ts'
import { mapImageTransfers } from './transfer/map-images.ts'
import { recapPage } from './transfer/recap-page.ts'
import { createRulePacks, rulePackTransfers } from './transfer/rule-packs.ts'
import { installStarterPack } from './transfer/starter-pack.ts'
import type { Tasks } from './worker.ts'

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

/** The composition root: everything is made and joined here, and nowhere else. */
export async function createApp({
  config,
  version,
  clock = () => new Date(),
  files: givenFiles = createFiles(),
  logStream,
  checkpoint,
  onLost,
  onStop,
  network = standardNetwork,
  startThread = startWorker,
  alerts = createAlerts(clock),
  instance,
  computer,
  command = (...args) => ['talekeeper', ...args].join(' '),
  bridge = { command: 'talekeeper', args: ['mcp-stdio'] },
  surroundings,
  onPrepare,
  random = cryptographicRandom,
  starterPack,
  catalogue: { entities, operations } = { entities: allEntities, operations: all },
}: AppOptions): Promise<App> {
  const paths = dataPaths(config.dataDir)
  await givenFiles.makeDir(config.dataDir)
  const files = keepingRoot(givenFiles, config.dataDir)
  const registry = createRegistry(entities, toolsetsOf(entities, operations), consequences)
  /** What has a route. Tools are of the catalogue alone. */
  const routed = new Map([...operations, ...serverOperations])
  // What is added to the catalogue brings its own tables.
  const migrations = migrationsOf(createRegistry(allEntities))
  const maintenanceLock = createMaintenanceLock()
  const workers = createWorkers<Tasks>({ start: startThread })
  const searcher = createSearcher({ start: startThread })

  let server: FastifyInstance | undefined
  const log: ArchiveLog & McpLog = {
    info: (facts, message) => server?.log.info(facts, message),
    warn: (facts, message) => server?.log.warn(facts, message),
    error: (facts, message) => server?.log.error(facts, message),
  }

  const settings = createSettings({
    dataDir: config.dataDir,
    ...config.settings,
    clock,
    onError: (error) => log.error({ err: error }, 'A changed setting could not be put into effect.'),
  })

  const current = createCurrentStore(() => ({
    path: paths.database,
    registry,
    migrations,
    now: clock().toISOString(),
    mayCreate: mayBegin(config.dataDir),
    copyBeforeMigration: paths.beforeMigration,
    onPrepare,
  }))
  const hub = createHub(current.get)
  const stopping = new AbortController()
  const downloads = createDownloads(clock)
  const images = createImages(files, { uploads: paths.uploads, cache: paths.imageCache }, config.uploadMaxTotalBytes)
  const travel = joinTravel({
    ...{ system: () => system, store: current.get, images, files, tempDir: config.tempDir },
    ...{ version, clock, workers, downloads },
  })
  const key = () => readFileSync(paths.keyfile)
  const rulePacks = createRulePacks({ store: current.get, clock, tempDir: config.tempDir, workers })
  const calendarFeeds = createCalendarFeeds({ system: () => system, store: current.get, lock: maintenanceLock, key })
  const system = createSystem({
    operations: routed,
    services: {
      images,
      passwords: { hash: (given) => identity.passwords.hash(given), prove: (...of) => identity.passwords.prove(...of) },
      calendarFeeds,
      rulePacks,
      travel: travel.travel,
    },
    store: current.get,
    clock,
    random,
    stopping: stopping.signal,
    searcher,
    acquireShared: () => maintenanceLock.acquireShared(),
    recheck: (present, actor, now) => identity.recheck(present, actor, now),
    announce(changes) {
      for (const { userId, only } of endingsOf(changes)) hub.endUser(userId, only)
      hub.announce(changes)
    },
    onUnannounced: whenUnannounced(hub, log),
    fileProposal: (context, rehearsed, reason) => ({ output: filed(context, rehearsed, reason), schema: filedOutput }),
  })

  const oauth = createOauth({
    store: current.get,
    system: () => system,
    clock,
    log: { warn: (facts, message) => log.warn(facts, message) },
    acquireShared: () => maintenanceLock.acquireShared(),
    key,
    rateLimitKey: addressGroup,
    sessionActor: (secret) => identity.resolve({ authorization: undefined, sessionSecret: secret }),
    signIn: (context, given) => signInWith(identity.services, context, given),
    closeStreams: (userId, only) => hub.endUser(userId, only),
    toolsets: toolCounts(operations),
    styleSheet: readStyleSheet,
    registration: config.oauth.registration,
    network: config.oauth.documents ? network : null,
  })
  const identity = createIdentity({
    store: current.get,
    system: () => system,
    clock,
    log: { warn: (facts, message) => log.warn(facts, message) },
    version,
    key,
    mayBeBehindProxy: config.baseUrl !== null || config.trustProxy !== false,
    acceptInvite(unit, actor, code) {
      const call = { actor, door: 'rest', idempotencyKey: null, reason: null, requestId: 'register' } as const
      const { output } = executeWithin(system, unit, operations.get('accept_invite') as AnyOperation, { code }, call)
      return (output as { readonly campaignId: number }).campaignId
    },
    previewInvite: (code) => previewInvite(current.get(), code, clock().toISOString()),
    resolveAccessToken: oauth.resolveAccessToken,
    recheckGrant: oauth.recheckGrant,
  })

  const live = createLiveInstallation({
    lock: maintenanceLock,
    async close() {
      identity.close()
      hub.reset()
      hub.endAll()
      travel.endAll()
      await searcher.close()
      current.close()
    },
    open: () => current.open(),
    log,
    onLost,
  })
  const archive = createArchive({
    dataDir: config.dataDir,
    tempDir: config.tempDir,
    files,
    workers,
    clock,
    log,
    appVersion: version,
    migrations,
    live,
    auditRestore: recordRestore,
    alerts: () => allAlerts({ alerts, settings, config, files, clock }),
    schedule: () => {
      const { dir: directory, ...chosen } = chosenBackup(settings.get())
      return { ...config.backup, ...chosen, directory }
    },
    ...(checkpoint ? { checkpoint } : {}),
  })

  // Before anything is made in the data folder: an empty uploads folder would look like one from before a restore.
  await archive.recover()
  await openDataFolder({
    dataDir: config.dataDir,
    backupDir: config.backup.dir,
    ...{ paths, files, current, images, alerts, log, clock, command },
  })

  const site = createSiteRules(config)
  const access = createNetworkAccess({
    config,
    settings,
    system: () => system,
    clock,
    log,
    accept: (socket) => void server?.server.emit('connection', socket),
    isLoopback: isLoopbackAddress,
    onNames: site.setNames,
    surroundings,
  })
  // A password takes its time to check: the database must not be replaced between that and what follows from it.
  const underLock = (transfer: AnyTransfer): AnyTransfer => ({
    ...transfer,
    handle: (context, input) => runShared(maintenanceLock, () => transfer.handle(context, input)),
  })
  const transfers: readonly AnyTransfer[] = [
    ...identity.transfers.map(underLock),
    ...rulePackTransfers(() => system),
    ...travel.transfers,
    ...attachmentTransfers({ system: () => system, store: current.get, images }),
    ...mapImageTransfers({ system: () => system, store: current.get, files, folder: paths.fogCache, images, workers }),
    ...liveTransfers({ hub, system: () => system, store: current.get, clock }),
    ...archiveTransfers(archive, downloads, hub),
    ...downloads.transfers,
    ...diagnosticsTransfers({
      version,
      clock,
      settings: settingsWithoutSecrets(config),
      backupStatus: () => archive.status(),
      database: () => examineDatabase(current.get()),
    }),
    ...settingsTransfers({ settings, system: () => system, checkBackupFolder: checkBackupFolder(files) }).map(
      underLock,
    ),
    ...access.transfers.map(underLock),
    ...assistantTransfers({ config, system: () => system, clock, version, bridge, asset: readAsset }),
    ...computerTransfers({
      ...{ computer, settings, dataDir: config.dataDir, system: () => system },
      freeBytes: () => freeBytesAt(config.dataDir, files),
    }).map(underLock),
    ...(instance ? instanceTransfers(instance, archive, travel.commands) : []),
    ...(instance && onStop ? stopTransfers(instance, onStop) : []),
  ]
  server = await createServer({
    system,
    operations: routed,
    transfers,
    authentication: {
      // A restore closes the database for a moment: who calls then waits, and is not turned away.
      resolve: (presented) => runShared(maintenanceLock, () => identity.resolve(presented)),
      isSameOrigin: site.isSameOrigin,
      originOf: site.originOf,
    },
    routes(app, tools) {
      oauth.routes(app, tools)
      access.routes(app)
      calendarFeeds.routes(app)
      recapPage(
        app,
        { store: current.get, lock: maintenanceLock, clock, images, groupOf: addressGroup },
        readStyleSheet,
      )
    },
    mcp: {
      endpoint: createMcp({ system: () => system, operations, version, log }),
      originOf: site.originOf,
      throttle: createThrottle(callsPerMinute.mcp),
    },
    throttle: createThrottle(callsPerMinute.rest),
    version,
    tempDir: config.tempDir,
    docs: config.docs,
    trustProxy: config.trustProxy,
    secureCookies: site.secure,
    tls: config.tls,
    logger: { level: config.logLevel, ...(logStream ? { stream: logStream } : {}) },
    asset: readAsset,
    whyNotReady: () => current.whyNotReady(),
    isAllowedHost: site.isAllowedHost,
    isForeignOrigin: site.isForeignOrigin,
  }).catch((error: unknown) => {
    current.close()
    throw error
  })

  const housekeeping = createHousekeeping({
    alerts,
    log,
    chores: choresOf({
      store: current.get,
      clock,
      identity,
      oauth,
      sweepImports: travel.sweep,
      sweepUploads: uploadChore({ files, paths, current, clock, archive, lock: maintenanceLock }),
      // Opened on a full disk, it kept all others out, backups too.
      async openAgain() {
        if (current.get().isShared || !hasRoom(config.dataDir)) return
        await (await live.suspend()).reopen()
      },
    }),
  })
  await housekeeping.start()
  let endClockWatch = (): void => {}
  const app: FastifyInstance = server
  return {
    server: app,
    transfers,
    identity,
    oauth,
    archive,
    hub,
    campaigns: travel.commands,
    settings,
    access,
    system: () => system,
    store: current.get,
    setUpCode: () => identity.setUpCode(),
    async listen() {
      const address = await listenOn(app, config)
      if (!config.portIsFixed) rememberPort(settings, address, log)
      if (instance) announceOrTell(instance, reachable(address), { log, alerts })
      const { signal } = stopping
      void installStarterPack({ system, store: current.get, rulePacks, document: starterPack, stopping: signal, log })
      archive.scheduled.start()
      await access.start({ host: config.host, port: Number(new URL(address).port) || (config.tls ? 443 : 80) })
      settings.watch(() => archive.scheduled.look())
      endClockWatch = watchClockJumps({ clock, log, onJump: () => archive.scheduled.look() })
      return address
    },
    async stop() {
      stopping.abort()
      endClockWatch()
      housekeeping.stop()
      downloads.close()
      hub.endAll()
      await access.stop()
      await archive.scheduled.stop()
      await app.close()
      await Promise.all([workers.close(), searcher.close()])
      identity.close()
      oauth.close()
      current.close()
    },
  }
}
