// Another program that locks a database: started by tests with the path and the kind of lock. It says "locked" when it
// holds it, and lets go when its standard input ends.
import Database from 'better-sqlite3'

const [file, kind] = process.argv.slice(2)
const db = new Database(file, { timeout: 500 })
if (kind === 'exclusive mode') {
  db.pragma('locking_mode = EXCLUSIVE')
  db.exec('BEGIN IMMEDIATE; CREATE TABLE held (id INTEGER); DROP TABLE held; COMMIT')
} else db.exec(kind === 'writer' ? 'BEGIN IMMEDIATE' : 'BEGIN EXCLUSIVE')
process.stdout.write('locked\n')
process.stdin.once('end', () => {
  if (kind !== 'exclusive mode') db.exec('ROLLBACK')
  db.close()
})
process.stdin.resume()
