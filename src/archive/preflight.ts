export interface FileSystemFacts {
  readonly device: number
  readonly freeBytes: number
}

export interface SpaceNeeds {
  readonly databaseBytes: number
  readonly uploadsBytes: number
  /** Size of the last successful archive; null before the first. */
  readonly lastArchiveBytes: number | null
  /** What must stay free afterwards. */
  readonly reserveBytes: number
}

/** What the next archive is expected to take (SPEC 8.3.1). */
export function expectedArchiveBytes(needs: SpaceNeeds): number {
  return needs.lastArchiveBytes ?? needs.databaseBytes + needs.uploadsBytes
}

/**
 * Why a backup would leave too little free space, or null when it may run. The peak in the staging folder is the
 * snapshot and a full copy of the uploads; in the backup folder it is the archive; on one file system both at once
 * (SPEC 8.3.1-3).
 */
export function shortOfSpace(staging: FileSystemFacts, backups: FileSystemFacts, needs: SpaceNeeds): string | null {
  const stagingPeak = needs.databaseBytes + needs.uploadsBytes
  const archivePeak = expectedArchiveBytes(needs)
  const budgets =
    staging.device === backups.device
      ? [
          {
            place: 'The backup and staging folders',
            free: Math.min(staging.freeBytes, backups.freeBytes),
            peak: stagingPeak + archivePeak,
          },
        ]
      : [
          { place: 'The staging folder', free: staging.freeBytes, peak: stagingPeak },
          { place: 'The backup folder', free: backups.freeBytes, peak: archivePeak },
        ]
  const short = budgets.find(({ free, peak }) => free - peak < needs.reserveBytes)
  if (short === undefined) return null
  return `${short.place} need ${mebibytes(short.peak)} for the next backup and ${mebibytes(needs.reserveBytes)} in reserve; ${mebibytes(short.free)} are free.`
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`
}
