import { attachment } from '../domain/attachment/entity.ts'
import { campaign } from '../domain/campaign/entity.ts'
import { character } from '../domain/character/entity.ts'
import { display } from '../domain/display/entity.ts'
import { combatant, encounter } from '../domain/encounter/entity.ts'
import { mostCombatants } from '../domain/encounter/fight.ts'
import { map, mapToken } from '../domain/map/entity.ts'
import { standingSignal } from '../domain/safety-state.ts'
import { standingOf } from '../domain/sheets.ts'
import { personIn, type Viewer } from '../kernel/viewer.ts'
import { readerFor, unfilteredReaderFor, wholeRow } from '../storage/reader.ts'
import { hashSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'

// What a television shows, read through the eyes of a guest who is nobody in particular: what such a one may not see is never
// read, and so is in nothing that is sent.

export interface ShownFighter {
  readonly name: string
  readonly isFoe: boolean
  readonly isActing: boolean
  /** Null where it is not told. */
  readonly band: ReturnType<typeof standingOf>['band'] | null
  readonly conditions: readonly string[]
}

export interface ShownToken {
  readonly name: string
  /** 0 to 1 of the map's width and height. */
  readonly x: number
  readonly y: number
  /** Squares across. */
  readonly size: number
}

export interface ShownMap {
  readonly id: number
  readonly name: string
  readonly version: string
  readonly width: number
  readonly height: number
  /** Squares across, where they are drawn. */
  readonly columns: number | null
  readonly tokens: readonly ShownToken[]
}

export interface Shown {
  readonly campaign: string
  readonly isStill: boolean
  readonly fight: {
    readonly name: string
    readonly round: number
    readonly fighters: readonly ShownFighter[]
    /** Null while somebody acts whom nobody sees. */
    readonly acting: string | null
  } | null
  readonly map: ShownMap | null
}

/** What an address shows now; null for every one that shows nothing, for whatever reason. */
export function shownBy(store: Store, code: string): Shown | null {
  const opened = opens(store, code)
  if (opened === null) return null
  const { campaignId, mapId } = opened
  const home = wholeRow(store, campaign, campaignId)
  if (home === null || home.deletedAt !== null) return null
  const guest = personIn(campaignId, 'viewer')
  const running = readerFor(store, encounter, guest).page({
    where: { status: 'running' },
    order: [['createdAt', 'desc']],
    limit: 1,
  }).items[0]
  const fight = running === undefined ? null : fightOf(store, guest, running, home.ruleSystem as string | null)
  return {
    campaign: String(home.name),
    isStill: standingSignal({ unfiltered: (entity) => unfilteredReaderFor(store, entity, guest) }) !== null,
    fight,
    map: mapOf(store, guest, mapId, running?.locationId ?? null),
  }
}

/** The campaign and the map of an address that was not taken back. */
function opens(store: Store, code: string): { readonly campaignId: number; readonly mapId: number | null } | null {
  if (!/^tkv_[\w-]{43}$/.test(code)) return null
  const found = store.get(`SELECT id FROM ${display.table} WHERE code_hash = @hash AND deleted_at IS NULL`, {
    hash: hashSecret(code),
  })
  const row = found === undefined ? null : wholeRow(store, display, Number(found.id))
  if (row === null || row.revokedAt !== null) return null
  return { campaignId: Number(row.campaignId), mapId: row.mapId === null ? null : Number(row.mapId) }
}

type Running = NonNullable<ReturnType<ReturnType<typeof readerFor<typeof encounter>>['find']>>

function fightOf(store: Store, guest: Viewer, row: Running, ruleSystem: string | null): Shown['fight'] {
  const fighters = readerFor(store, combatant, guest)
    .page({ where: { encounterId: row.id, removed: false }, order: [['place', 'asc']], limit: mostCombatants })
    .items.map((one): ShownFighter => {
      // How a character is stands on their sheet alone.
      const sheet = one.characterId === null ? null : readerFor(store, character, guest).find(one.characterId)
      const standing = sheet === null ? one : standingOf(ruleSystem, sheet)
      return {
        name: one.name,
        isFoe: one.kind !== 'character' && !one.ally,
        isActing: one.id === row.actingCombatantId,
        band: standing.band ?? null,
        conditions: standing.conditions.map(({ key }) => key),
      }
    })
  // Whoever acts stands first, and the others as they come.
  const at = fighters.findIndex(({ isActing }) => isActing)
  const inOrder = at < 0 ? fighters : [...fighters.slice(at), ...fighters.slice(0, at)]
  return { name: row.name, round: row.round, fighters: inOrder, acting: fighters[at]?.name ?? null }
}

function mapOf(store: Store, guest: Viewer, mapId: number | null, locationId: number | null): ShownMap | null {
  const maps = readerFor(store, map, guest)
  const row =
    mapId !== null
      ? maps.find(mapId)
      : locationId === null
        ? null
        : (maps.page({ where: { locationId }, order: [['name', 'asc']], limit: 1 }).items[0] ?? null)
  if (row === null) return null
  // Whoever sees the map sees its image, painted over by the fog: of the file itself only its shape is read here.
  const image = imageOf(store, Number(row.id))
  if (image === null) return null
  const tokens = readerFor(store, mapToken, guest)
    .page({ where: { mapId: row.id }, order: [['id', 'asc']], limit: 100 })
    .items.map(({ label, npc, x, y, size }) => ({ name: label ?? npc?.title ?? '', x, y, size }))
  const columns = row.grid?.shown ? row.grid.columns : null
  const { width, height } = image
  return { id: Number(row.id), name: row.name, version: row.imageVersion, width, height, columns, tokens }
}

export interface MapFile {
  readonly fileKey: string
  readonly sha256: string
  readonly width: number
  readonly height: number
}

/** The file behind a map; null where it was thrown away. */
export function imageOf(store: Store, mapId: number): MapFile | null {
  const row = wholeRow(store, map, mapId)
  const file = row === null || row.attachmentId === null ? null : wholeRow(store, attachment, Number(row.attachmentId))
  if (file === null || file.deletedAt !== null) return null
  const { fileKey, sha256, width, height } = file
  return { fileKey: String(fileKey), sha256: String(sha256), width: Number(width), height: Number(height) }
}
