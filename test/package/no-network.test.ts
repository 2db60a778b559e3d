import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { packagedFolder } from '../support/packaged.ts'

// The program where there is no network: a namespace of the kernel that holds nothing but a loopback device. Whatever would
// leave the machine fails there at once, and would be said in the log.

const isolated = ['unshare', '--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'] as const
const possible = process.platform === 'linux' && process.arch === 'x64' && canIsolate()

function canIsolate(): boolean {
  try {
    execFileSync(isolated[0], [...isolated.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    if (process.env.CI === 'true' && process.getuid?.() === 0) throw new Error('no network namespace can be made here')
    console.warn('skipped: no network namespace can be made here (unshare --user --net)')
    return false
  }
}

let packaged: string
beforeAll(async () => {
  if (possible) packaged = await packagedFolder('linux-x64')
}, 1_200_000)

/** Inside: brings loopback up, starts the program, sets it up, uses it, and says what connections it had. */
const script = `
set -eu
ip link set lo up 2>/dev/null || true
"$EXE" serve > "$ROOT/out" 2>&1 &
pid=$!
node -e '
const { readFileSync } = require("node:fs")
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
;(async () => {
  let address
  while (!(address = /(http:\\/\\/127[^\\s/]+)\\//.exec(readFileSync(process.env.ROOT + "/out", "utf8"))?.[1])) await wait(50)
  const post = (target, body, headers = {}) => fetch(address + target, { method: "POST", headers: { "content-type": "application/json", origin: address, ...headers }, body: JSON.stringify(body) })
  const me = { username: "ellen", password: "a lantern in the orchard" }
  const made = await post("/api/v1/auth/setup", me)
  const { token } = await (await post("/api/v1/auth/token", { ...me, tokenName: "t", scope: "dm" })).json()
  const backup = await post("/api/v1/backup/run", {}, { authorization: "Bearer " + token })
  await wait(2000)
  const peers = ["tcp", "tcp6", "udp", "udp6"].flatMap((kind) => {
    let text = ""
    try { text = readFileSync("/proc/net/" + kind, "utf8") } catch {}
    return text.trim().split("\\n").slice(1).map((line) => kind + " " + line.trim().split(/\\s+/)[2])
  })
  console.log(JSON.stringify({ statuses: [made.status, backup.status], peers }))
})()
'
kill -TERM $pid
wait $pid
`

test.skipIf(!possible)(
  'without any network it starts, is set up and makes a backup, and asks nobody for anything',
  async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'talekeeper-no-network-'))
    try {
      mkdirSync(path.join(root, 'data'))
      const child = spawn(isolated[0], [...isolated.slice(1), 'sh', '-c', script], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
          HOME: root,
          ROOT: root,
          EXE: path.join(packaged, 'talekeeper'),
          DATA_DIR: path.join(root, 'data'),
          TMPDIR: root,
          PORT: '0',
          BACKUP_MIN_FREE_BYTES: '0',
          LOG_LEVEL: 'info',
        },
      })
      let output = ''
      let errors = ''
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
      child.stderr.on('data', (chunk: Buffer) => {
        errors += chunk.toString()
      })
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect([code, errors]).toEqual([0, ''])
      const { statuses, peers } = JSON.parse(output) as { statuses: number[]; peers: string[] }
      expect(statuses).toEqual([201, 200])
      // 0100007F is 127.0.0.1; nobody else was spoken to, and no name was asked for.
      const others = peers.filter((peer) => !/ (0100007F|00000000|0{32}|0{24}0100007F):/.test(peer))
      expect(others).toEqual([])
      expect(readFileSync(path.join(root, 'out'), 'utf8')).not.toMatch(/ENETUNREACH|EAI_AGAIN|ENOTFOUND|getaddrinfo/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
)
