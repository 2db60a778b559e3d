// npm run bench: the budgets of speed and memory, in one run on this machine, as a table; exit 1 when one is not held.
//
//   npm run bench                  the bundle in build/, which is built when it is not current
//   npm run bench -- --sources     the sources as they are
//   npm run bench -- requests      only what the word names: requests, mcp, growth, search, fights, live, load, idle, screen, lighthouse, backups, restores, transfer
//   npm run bench -- --growth      the same as the word: what each read costs at 100, 1,000, 10,000 and 50,000 of each kind of thing
//   npm run bench -- growth --few  the same at 1,000 and 10,000 alone
//   npm run bench -- growth --reads=list_tags,search  the same of operations whose names hold one of these alone
//   npm run bench -- lighthouse    needs "npm ci --prefix scripts/bench/lighthouse" once
//   npm run bench -- --keep        keeps the table in scripts/bench/last-table.tsv, with which the next run compares its own
//
// Backups, restores and transfer take an installation of a gigabyte, and up to six of them in the temporary folder.
import path from 'node:path'
import { afterLoadMeasures } from './bench/after-load.ts'
import { archiveMeasures, duringBackupMeasures } from './bench/backups.ts'
import { stolenMs } from './bench/cpu.ts'
import { fightMeasures } from './bench/fights.ts'
import { fewSizes, growthMeasures } from './bench/growth.ts'
import { idleMeasures } from './bench/idle.ts'
import { bulks, type Installation, makeInstallation, type Program } from './bench/installation.ts'
import { changesSince, keepTable } from './bench/last-table.ts'
import { lighthouseMeasures } from './bench/lighthouse.ts'
import { liveMeasures, signInMeasures } from './bench/live.ts'
import { isWithin, loopMeasure, type Measure, stolenMeasure, tableOf, worstOf } from './bench/measures.ts'
import { type LoopDelay, ownFile } from './bench/programs.ts'
import { getMeasures, mcpMeasures } from './bench/requests.ts'
import { inspectMeasures, restoreMeasures } from './bench/restores.ts'
import { screenMeasures } from './bench/screen.ts'
import { searchMeasures } from './bench/search.ts'
import { transferMeasures } from './bench/transfer.ts'
import { programOptions, projectRoot } from './lib/node-runner.mjs'
import { ensureBuilt } from './lib/tasks.ts'

type Part =
  | {
      readonly on: keyof typeof bulks
      measure(program: Program, on: Installation): Promise<readonly Measure[]>
    }
  /** It prepares its own installations. */
  | { readonly on: null; measure(program: Program): Promise<readonly Measure[]> }

const options = ['--sources', '--growth', '--few', '--keep']

const readsOption = '--reads='

/** Parts of the names of reads that are to be measured; null for all. */
function readsIn(args: readonly string[]): readonly string[] | null {
  const given = args.find((arg) => arg.startsWith(readsOption))
  return given === undefined ? null : given.slice(readsOption.length).split(',')
}

const parts: Readonly<Record<string, Part>> = {
  requests: { on: 'few', measure: getMeasures },
  mcp: { on: 'few', measure: mcpMeasures },
  growth: {
    on: null,
    measure: (program) =>
      growthMeasures(program, process.argv.includes('--few') ? fewSizes : undefined, readsIn(process.argv)),
  },
  search: { on: 'wordy', measure: searchMeasures },
  fights: { on: 'few', measure: fightMeasures },
  live: {
    on: 'few',
    measure: async (program, on) => [...(await liveMeasures(program, on)), ...(await signInMeasures(program, on))],
  },
  load: { on: 'few', measure: afterLoadMeasures },
  idle: { on: 'usual', measure: (_, on) => idleMeasures(on) },
  screen: { on: 'usual', measure: screenMeasures },
  lighthouse: { on: 'thousand', measure: lighthouseMeasures },
  backups: {
    on: 'large',
    measure: async (program, on) => [...(await archiveMeasures(on)), ...(await duringBackupMeasures(program, on))],
  },
  restores: {
    on: 'large',
    measure: async (program, on) => [...(await inspectMeasures(program, on)), ...(await restoreMeasures(program, on))],
  },
  transfer: { on: null, measure: transferMeasures },
}

/** What the host may take during a part, in milliseconds of processor time, without being the reason for what failed in it. */
const disturbingMs = 50

process.chdir(projectRoot)
process.exitCode = await bench(process.argv.slice(2))

async function bench(args: readonly string[]): Promise<number> {
  const wanted = args.flatMap((arg) => (arg === '--growth' ? ['growth'] : arg.startsWith('--') ? [] : [arg]))
  const unknown = [
    ...wanted.filter((name) => parts[name] === undefined),
    ...args.filter((arg) => arg.startsWith('--') && !options.includes(arg) && !arg.startsWith(readsOption)),
  ]
  if (unknown.length > 0) {
    console.error(
      `There is no part ${unknown.join(', ')}. There is: ${[...Object.keys(parts), ...options].join(', ')}.`,
    )
    return 2
  }
  const program = await programOf(args.includes('--sources'))
  if (program === undefined) return 1
  const installations = new Map<keyof typeof bulks, Installation>()
  const measures: Measure[] = []
  const broken: string[] = []
  try {
    for (const [name, part] of Object.entries(parts)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      const installation =
        part.on === null ? null : (installations.get(part.on) ?? (await makeInstallation(program, bulks[part.on])))
      if (part.on !== null && installation !== null) installations.set(part.on, installation)
      console.log(`measuring: ${name}`)
      // What the other parts measured is not lost with one.
      await undisturbed(name, () => measuredPart(name, part, program, installation)).then(
        (found) => measures.push(...found),
        (error: unknown) => {
          console.error(error)
          broken.push(name)
        },
      )
    }
  } finally {
    for (const installation of installations.values()) installation.remove()
  }
  console.log(`\n${tableOf(measures)}\n\n${changesSince(measures)}\n`)
  if (args.includes('--keep')) keepTable(measures)
  const failed = measures.filter((measure) => !isWithin(measure))
  console.log(failed.length === 0 ? 'every budget is held' : `${failed.length} budgets are not held`)
  if (broken.length > 0) console.log(`not measured to the end: ${broken.join(', ')}`)
  return failed.length + broken.length === 0 ? 0 : 1
}

/**
 * What `measure` finds; again, and at most twice, where a budget was not held while the host of this machine gave its processors
 * to others: that was not measured on a machine that is otherwise idle.
 */
async function undisturbed(name: string, measure: () => Promise<readonly Measure[]>): Promise<readonly Measure[]> {
  for (let again = 0; ; again += 1) {
    const before = stolenMs()
    const found = await measure()
    const after = stolenMs()
    if (before === null || after === null) return found
    const told = [...found, stolenMeasure(name, after - before)]
    const failed = found.filter((each) => !isWithin(each))
    if (failed.length === 0 || after - before < disturbingMs || again === 2) return told
    console.log(`measuring again, since the host of this machine took ${after - before} ms of its processors:`)
    for (const { name, value, unit } of failed) console.log(`  ${name}: ${value?.toFixed(2)} ${unit}`)
  }
}

/** What was found in one part, and how long the main thread was held in all of it. */
async function measuredPart(
  name: string,
  part: Part,
  program: Program,
  installation: Installation | null,
): Promise<readonly Measure[]> {
  const holds: LoopDelay[] = []
  const found = await measured(part, { ...program, onHold: (delay) => holds.push(delay) }, installation)
  return holds.length === 0 ? found : [...found, loopMeasure(`all of "${name}"`, worstOf(holds))]
}

function measured(part: Part, program: Program, installation: Installation | null): Promise<readonly Measure[]> {
  return part.on === null ? part.measure(program) : part.measure(program, installation as Installation)
}

async function programOf(sources: boolean): Promise<Program | undefined> {
  if (!sources && (await ensureBuilt()) !== 0) return undefined
  const file = sources ? path.join('src', 'main.ts') : path.join('build', 'talekeeper.cjs')
  return { command: process.execPath, args: [...programOptions, '--import', ownFile('loop-delay.ts'), file] }
}
