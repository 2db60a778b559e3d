import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { createAi } from './ai/ai.ts'
import type { App, AppOptions } from './app-options.ts'
import { createArchive } from './archive/archive.ts'
import type { ArchiveLog } from './archive/ports.ts'
import { archiveTransfers } from './archive/transfers.ts'
import { loadProtocol, loadVendor, readAsset, readStyleSheet, startWorker } from './assets.ts'
import { operations as all, entities as allEntities, consequences, serverOperations, toolsetsOf } from './catalogue.ts'
import { chosenBackup, settingsWithoutSecrets } from './config.ts'
import { instanceTransfers } from './desktop/commands.ts'
import { computerTransfers } from './desktop/computer-transfers.ts'
import { diagnosticsTransfers } from './desktop/diagnostics.ts'
import { announceOrTell } from './desktop/instance.ts'
import { stopTransfers } from './desktop/stop.ts'
import { filed, filedOutput } from './domain/proposal/operations.ts'
import { listenOn, reachable } from './http/listen.ts'
import { createServer } from './http/server.ts'
import { callsPerMinute, createThrottle } from './http/throttle.ts'
import { recordRestore } from './identity/audit.ts'
import { endingsOf } from './identity/endings.ts'
import { addressGroup, isLoopbackAddress } from './identity/hosts.ts'
import { createIdentity } from './identity/identity.ts'
import { previewInvite } from './identity/invite-preview.ts'
import { signInWith } from './identity/sign-in-transfers.ts'
import { createSiteRules } from './identity/site-rules.ts'
import { executeWithin } from './kernel/execute.ts'
import { createMaintenanceLock, runShared, runSharedSoon } from './kernel/maintenance-lock.ts'
import type { AnyOperation } from './kernel/operation.ts'
import type { AnyTransfer } from './kernel/transfer.ts'
import { createHub } from './live/hub.ts'
import { liveTransfers } from './live/transfers.ts'
import { whenUnannounced } from './live/unannounced.ts'
import { assistantTransfers } from './mcp/assistant-transfers.ts'
import type { Log as McpLog } from './mcp/caller.ts'
import { createMcp } from './mcp/endpoint.ts'
import type { Protocol } from './mcp/protocol.ts'
import { presetCounts } from './mcp/toolsets.ts'
import { createNetworkAccess } from './network/network.ts'
import { standardNetwork } from './oauth/guarded-fetch.ts'
import { createOauth } from './oauth/oauth.ts'
import { toolCounts } from './oauth/tool-counts.ts'
import { createAlerts } from './server/alerts.ts'
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
import { createFiles, freeBytesAt, keepingRoot } from './storage/files.ts'
import { createImages } from './storage/images.ts'
import { drawOn } from './storage/images-drawn.ts'
import { examineDatabase, hasRoom } from './storage/readiness.ts'
import { createRegistry } from './storage/registry.ts'
import { startingMigrations } from './storage/schema.ts'
import { createSearcher } from './storage/searcher.ts'
import { cryptographicRandom } from './storage/secrets.ts'
import { createSystem } from './storage/system.ts'
import { createWorkers } from './storage/workers.ts'
import { createCalendarFeeds } from './transfer/calendar-feed.ts'
import { createDownloads } from './transfer/downloads.ts'
import { joinTravel } from './transfer/join-travel.ts'
import { joinPictures } from './transfer/pictures.ts'
import { publicPages } from './transfer/public-pages.ts'
import { createRulePacks, rulePackTransfers } from './transfer/rule-packs.ts'
import { installStarterPack } from './transfer/starter-pack.ts'
import type { Tasks } from './worker.ts'

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
  samplePicture,
  model: modelOptions = {},
  catalogue: { entities, operations } = { entities: allEntities, operations: all },
}: AppOptions): Promise<App> {
  const paths = dataPaths(config.dataDir)
  await givenFiles.makeDir(config.dataDir)
  const files = keepingRoot(givenFiles, config.dataDir)
  const registry = createRegistry(entities, toolsetsOf(entities, operations), consequences)
  /** What has a route. Tools are of the catalogue alone. */
  const routed = new Map([...operations, ...serverOperations])
  // What is added to the catalogue brings its own tables.
  const migrations = startingMigrations(() => createRegistry(allEntities))
  const maintenanceLock = createMaintenanceLock()
  const workers = createWorkers<Tasks>({ start: startThread })
  // Apart from those that have long work to do: nobody's picture waits for a backup.
  const drawers = createWorkers<Tasks>({ start: startThread, most: 1 })
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
  const imageFolders = { uploads: paths.uploads, cache: paths.imageCache }
  const images = createImages(files, imageFolders, config.uploadMaxTotalBytes, drawOn(drawers))
  const pictures = joinPictures({ store: current.get, files, folder: paths.fogCache, images, workers })
  const travel = joinTravel({
    ...{ system: () => system, store: current.get, images, files, tempDir: config.tempDir },
    ...{ version, clock, workers, downloads, samplePicture },
  })
  const key = () => readFileSync(paths.keyfile)
  const rulePacks = createRulePacks({ store: current.get, clock, tempDir: config.tempDir, workers })
  const calendarFeeds = createCalendarFeeds({ system: () => system, store: current.get, lock: maintenanceLock, key })
  const ai = createAi({
    ...{ store: current.get, clock, random, keyfile: key, isLocal: config.aiProviderIsLocal, options: modelOptions },
    ...{ log, loadVendor, system: () => system, addresses: () => server?.addresses() ?? [] },
  })
  const system = createSystem({
    operations: routed,
    services: {
      images,
      passwords: { hash: (given) => identity.passwords.hash(given), prove: (...of) => identity.passwords.prove(...of) },
      calendarFeeds,
      rulePacks,
      travel: travel.travel,
      model: ai.model,
    },
    store: current.get,
    clock,
    random,
    stopping: stopping.signal,
    searcher,
    acquireShared: () => maintenanceLock.acquireShared(),
    recheck: (present, actor, now) =>
      actor.credential.model ? ai.work.recheck(present, actor) : identity.recheck(present, actor, now),
    announce(changes) {
      for (const { userId, only } of endingsOf(changes)) hub.endUser(userId, only)
      hub.announce(changes)
      ai.work.onChanges(changes)
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
    toolPresets: presetCounts,
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
    open() {
      current.open()
      ai.settle()
      ai.work.recover()
    },
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

  ai.settle()

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
    ...pictures.transfers(() => system),
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
    ...ai.transfers,
    ...assistantTransfers({ config, system: () => system, clock, version, bridge, asset: readAsset }),
    ...computerTransfers({
      ...{ computer, settings, dataDir: config.dataDir, system: () => system },
      freeBytes: () => freeBytesAt(config.dataDir, files),
    }).map(underLock),
    ...(instance ? instanceTransfers(instance, archive, travel.commands) : []),
    ...(instance && onStop ? stopTransfers(instance, onStop) : []),
  ]
  const mcp = createMcp({
    ...{ system: () => system, operations, version, log },
    loadProtocol: async () => ((await loadProtocol()) as { readonly protocol: Protocol }).protocol,
  })
  server = await createServer({
    system,
    operations: routed,
    transfers,
    authentication: {
      // A restore closes the database for a moment: who calls then waits, and is not turned away.
      resolve: (presented) => runSharedSoon(maintenanceLock, () => identity.resolve(presented)),
      isSameOrigin: site.isSameOrigin,
      originOf: site.originOf,
    },
    routes(app, tools) {
      oauth.routes(app, tools)
      access.routes(app)
      calendarFeeds.routes(app)
      const shown = { store: current.get, hub, lock: maintenanceLock, clock, groupOf: addressGroup }
      publicPages(app, { ...shown, images: pictures.ofMaps, faces: images }, readStyleSheet)
    },
    mcp: {
      endpoint: mcp,
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
  ai.work.recover()
  let endClockWatch = (): void => {}
  const app: FastifyInstance = server
  return {
    server: app,
    transfers,
    identity,
    oauth,
    archive,
    hub,
    ai: ai.work,
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
      void mcp.prepare(signal)
      archive.scheduled.start()
      await access.start({ host: config.host, port: Number(new URL(address).port) || (config.tls ? 443 : 80) })
      settings.watch(() => archive.scheduled.look())
      endClockWatch = watchClockJumps({ clock, log, onJump: () => archive.scheduled.look() })
      return address
    },
    async stop() {
      stopping.abort()
      await ai.work.close()
      endClockWatch()
      housekeeping.stop()
      downloads.close()
      hub.endAll()
      await access.stop()
      await archive.scheduled.stop()
      await app.close()
      await Promise.all([workers.close(), drawers.close(), searcher.close()])
      identity.close()
      oauth.close()
      current.close()
    },
  }
}
