import { expect, test } from 'vitest'
import { environmentNames, titlesIn } from './spec-support.ts'

// Every line of SPEC 7 that speaks of archives, the archive operations of SPEC 3 and every row of SPEC 8, with the test
// that shows it. What the specification says of AI providers is in test/ai/spec.test.ts.

const rows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'spec-errors.test.ts': {
    '3 serialized': 'SPEC 3: archive operations are serialized, only one runs at a time',
    '3 cancelling before':
      'SPEC 3: a restore stages on disk, and cancelling it before the replace boundary leaves the install unchanged',
    '3 cancelling after': 'SPEC 3: cancelling after the live database and uploads begin to be replaced is not honoured',
    '7 Any interface error': 'SPEC 7: any interface error of archive work is the JSON error object',
    '7 malformed or foreign':
      'SPEC 7: restore of a malformed or foreign archive is 400 and the running server is left untouched',
    '7 format is not 3': 'SPEC 7: restore of an archive whose format is not 3 is 400 before live data is touched',
    '7 size or SHA-256 differs':
      'SPEC 7: restore where the recorded size or SHA-256 of any upload differs from the archive bytes is 400',
    '7 uploadCount differs': 'SPEC 7: restore where uploadCount differs from the attachment entry count is 400',
    '7 attachment absent': 'SPEC 7: restore where an attachment named in the manifest is absent is 400',
    '7 not clean, incomplete':
      'SPEC 7: restore where the reconciliation record is not clean or checksums are incomplete is 400',
    '7 confirm, non-server-admin':
      'SPEC 7: restore without confirm equal to RESTORE, or by a non-server-admin, is rejected',
    '7 another is running': 'SPEC 7: an archive operation requested while another is running is told to wait and retry',
    '7 failure or cancellation':
      'SPEC 7: validation failure or cancellation during archive work cleans up and leaves the live install unchanged',
  },
  'spec-limits.test.ts': {
    '8.1 fixed': 'SPEC 8.1: the limits are fixed, no environment variable changes them',
    '8.1 Compressed archive': 'SPEC 8.1: a compressed archive is at most 1 GiB',
    '8.1 Per entry': 'SPEC 8.1: an entry is at most 512 MiB',
    '8.1 Total uncompressed': 'SPEC 8.1: the total uncompressed size is at most 4 GiB',
    '8.1 Entries': 'SPEC 8.1: an archive has at most 100,000 entries',
    '8.1 Browser-memory fallback':
      'SPEC 8.1: a download passes through no memory of the browser, so that its 512 MiB need no fallback',
    '8.1 keyPassphrase length': 'SPEC 8.1: a keyPassphrase has at least 12 characters',
  },
  'spec-schedule.test.ts': {
    BACKUP_SCHEDULE_ENABLED: 'SPEC 8.2: BACKUP_SCHEDULE_ENABLED is off by default, and 1 enables scheduled backups',
    BACKUP_DIR: 'SPEC 8.2: BACKUP_DIR is where scheduled archives go, $DATA_DIR/backups by default',
    BACKUP_INTERVAL_HOURS: 'SPEC 8.2: BACKUP_INTERVAL_HOURS is the interval between runs, 24 by default',
    BACKUP_KEEP_COUNT:
      'SPEC 8.2: BACKUP_KEEP_COUNT keeps the newest verified archives, 14 by default; 0 disables count pruning',
    BACKUP_KEEP_DAYS:
      'SPEC 8.2: BACKUP_KEEP_DAYS prunes verified archives older than this, 30 by default; 0 disables it',
    BACKUP_MAX_TOTAL_BYTES:
      'SPEC 8.2: BACKUP_MAX_TOTAL_BYTES caps all scheduled archives, unset by default; the oldest unprotected goes first',
    BACKUP_MIN_FREE_BYTES:
      'SPEC 8.2: BACKUP_MIN_FREE_BYTES must remain free after the estimated peak, 512 MiB by default',
    BACKUP_PROTECT_LAST_GOOD:
      'SPEC 8.2: BACKUP_PROTECT_LAST_GOOD is true by default: retention never deletes the last verified archive',
    '8.3 rule 1':
      'SPEC 8.3: rule 1, the next size is estimated from the last good backup, at first from what there is; a short disk skips the run, stamps lastError and backs off',
    '8.3 rule 2':
      'SPEC 8.3: rule 2, on one file system the peaks of BACKUP_DIR and staging are reserved together, else each its own',
    '8.3 rule 4':
      'SPEC 8.3: rule 4, retention deletes only archives that parse and are clean; malformed or partial ones are left on disk',
    '8.3 rule 5': 'SPEC 8.3: rule 5, the markers .pin, .keep and .offsite beside a zip protect it from pruning',
  },
  'spec-settings.test.ts': {
    DATA_DIR: 'SPEC 8.2: DATA_DIR is the data volume, /data by default',
    TMPDIR: 'SPEC 8.2: TMPDIR is where work is staged, the default of the system without it',
    API_DOCS: 'SPEC 8.2: API_DOCS is unset by default, and 1 enables the docs and OpenAPI endpoints',
    '8.3 rule 3':
      'SPEC 8.3: rule 3, the peak on the disk is the snapshot, a staged copy of the uploads and the archive',
    '8.3 rule 7':
      'SPEC 8.3: rule 7, whole-server backups stage immutable copies of attachments before any ZIP entry is written',
  },
}

test.each(Object.entries(rows))(
  'every row that %s shows has a test of its title, and every test a row',
  (file, titles) => {
    expect(titlesIn(file)).toEqual(Object.values(titles))
  },
)

test('every variable of the backups is a row', () => {
  const shown = Object.values(rows).flatMap((titles) => Object.keys(titles))
  expect(environmentNames().filter((name) => name.startsWith('BACKUP_') && !shown.includes(name))).toEqual([
    // Ours: it lets scheduled backups hold the key file.
    'BACKUP_KEY_PASSPHRASE',
  ])
})
