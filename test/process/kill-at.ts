// The program, but for one thing: it ends itself with SIGKILL when a restore (or its recovery) reaches the step that
// KILL_AT names. Started by restores.test.ts in place of src/main.ts.
import manifest from '../../package.json' with { type: 'json' }
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'

const step = process.env.KILL_AT
const app = await createApp({
  config: readConfig(),
  version: manifest.version,
  checkpoint: (reached) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL')
  },
  onLost: () => process.exit(1),
})
process.stdout.write(`Talekeeper is at ${await app.listen()}/\n`)
