import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { commandFile } from '../clients/installed.ts'
import { makeHome, type Program, run } from '../clients/program.ts'

// The protocol's own conformance suite, and what it found.

export type Revision = '2026-07-28' | '2025-11-25'

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly errorMessage?: string
}

export interface Scenario {
  readonly passed: number
  readonly failed: number
  /** Of the checks that failed. */
  readonly failures: readonly { readonly check: string; readonly message: string }[]
}

/** The scenarios that a revision requires, and those that the suite runs along without scoring them. */
export interface Findings {
  readonly scored: ReadonlyMap<string, Scenario>
  readonly unscored: ReadonlyMap<string, Scenario>
}

function command(...args: string[]): { readonly program: Program; done(): void; readonly folder: string } {
  const home = makeHome()
  const output = path.join(home.folder, 'results')
  const program = run(commandFile('@modelcontextprotocol/conformance', 'conformance'), [...args, '-o', output], home)
  return { program, folder: output, done: () => home.remove() }
}

/** Runs every scenario that a revision requires against a server. */
export async function judgeServer(url: string, revision: Revision): Promise<Findings> {
  const { program, folder, done } = command('server', '--url', url, '--requirements', revision)
  try {
    const { stdout, stderr } = await program.ended
    if (!stdout.includes('=== SUMMARY ===')) throw new Error(`the suite did not come to its end:\n${stdout}\n${stderr}`)
    const all = readResults(folder)
    const aside = new Set(
      Array.from(
        stdout.slice(stdout.indexOf('Not scored for')).matchAll(/^\s+[✓✗] (\S+) \(/gm),
        ([, name = '']) => name,
      ),
    )
    const part = (isAside: boolean) => new Map(Array.from(all).filter(([name]) => aside.has(name) === isAside))
    return { scored: part(false), unscored: part(true) }
  } finally {
    done()
  }
}

/** Runs the scenarios of an authorization server; `letIn` does what a person does at the address that is printed. */
export async function judgeAuthorizationServer(
  args: readonly string[],
  letIn: (address: URL) => Promise<unknown>,
): Promise<ReadonlyMap<string, Scenario>> {
  const { program, folder, done } = command('authorization', ...args)
  try {
    const [address] = await program.printed(/http:\/\/\S+\/oauth\/authorize\?\S+/)
    await letIn(new URL(address))
    const { stdout, stderr } = await program.ended
    const results = readResults(folder)
    if (results.size === 0) throw new Error(`the suite left no results:\n${stdout}\n${stderr}`)
    return results
  } finally {
    done()
  }
}

/** A folder for each scenario, named `server-<scenario>-<time>`. */
function readResults(folder: string): ReadonlyMap<string, Scenario> {
  const scenarios = new Map<string, Scenario>()
  for (const name of readdirSync(folder)) {
    const scenario = name.replace(/^(server|authorization(-server)?)-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    const checks: readonly Check[] = JSON.parse(readFileSync(path.join(folder, name, 'checks.json'), 'utf8'))
    const failures = checks.filter(({ status }) => status === 'FAILURE')
    scenarios.set(scenario, {
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: failures.length,
      failures: failures.map(({ id, errorMessage = '' }) => ({ check: id, message: errorMessage })),
    })
  }
  return scenarios
}

export interface Tally {
  readonly scenarios: number
  readonly passed: number
  readonly checks: number
  readonly failedChecks: number
}

export function tally(scenarios: ReadonlyMap<string, Scenario>): Tally {
  const all = Array.from(scenarios.values())
  const sum = (of: (scenario: Scenario) => number): number => all.reduce((total, each) => total + of(each), 0)
  return {
    scenarios: all.length,
    passed: all.filter(({ failed }) => failed === 0).length,
    checks: sum(({ passed }) => passed),
    failedChecks: sum(({ failed }) => failed),
  }
}
