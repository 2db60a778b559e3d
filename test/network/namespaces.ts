import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'

// Two hosts of one network on this machine: network namespaces of Linux, joined by a cable. They take the right to
// administer networks, which root has.

export interface Host {
  readonly name: string
  readonly address: string
  /** Starts a program on this host. */
  spawn(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess
  /** Runs a command of `ip` on this host. */
  ip(...args: readonly string[]): void
  /** A script that starts a program on this host, for who takes no arguments before it. */
  wrap(script: string, program: string): void
  /** Calls made from this host. */
  readonly calls: Calls
}

export interface TwoHosts {
  /** Where the server runs. */
  readonly home: Host
  readonly phone: Host
  remove(): void
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly body: any
  /** Why there is no answer: ECONNREFUSED, … */
  readonly failed?: string
}

export interface Calls {
  call(method: string, url: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Asks the network for a name (RFC 6762). Null where nobody has it. */
  resolve(name: string): Promise<string | null>
  end(): void
}

/** Why hosts cannot be made here, in a sentence; null where they can. */
export function whyNoHosts(): string | null {
  if (process.platform !== 'linux') return 'network namespaces are of Linux'
  try {
    execFileSync('ip', ['-V'], { stdio: 'ignore' })
  } catch {
    return 'the program "ip" is missing (package iproute2)'
  }
  const name = `talekeeper-probe-${process.pid}`
  try {
    run('netns', 'add', name)
    run('netns', 'del', name)
    return null
  } catch {
    return 'this account has no right to make network namespaces (root has)'
  }
}

export function makeHosts(): TwoHosts {
  const tag = `tk${process.pid}`
  const names = [`${tag}-home`, `${tag}-phone`] as const
  const addresses = ['192.168.77.20', '192.168.77.34'] as const
  for (const name of names) run('netns', 'add', name)
  run('link', 'add', `${tag}a`, 'netns', names[0], 'type', 'veth', 'peer', 'name', `${tag}b`, 'netns', names[1])
  const hosts = names.map((name, index) => {
    const address = addresses[index] as string
    const ip = (...args: readonly string[]): void => run('-n', name, ...args)
    ip('link', 'set', `${tag}${index === 0 ? 'a' : 'b'}`, 'name', 'eth0')
    ip('link', 'set', 'lo', 'up')
    ip('addr', 'add', `${address}/24`, 'dev', 'eth0')
    ip('link', 'set', 'eth0', 'up')
    ip('route', 'add', '224.0.0.0/4', 'dev', 'eth0')
    const start: Host['spawn'] = (command, args, env = {}) =>
      spawn('ip', ['netns', 'exec', name, command, ...args], {
        env: { PATH: process.env.PATH ?? '', ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
    return {
      name,
      address,
      ip,
      spawn: start,
      wrap(script: string, program: string) {
        writeFileSync(script, `#!/bin/sh\nexec ip netns exec ${name} "${program}" "$@"\n`)
        chmodSync(script, 0o755)
      },
      calls: callsFrom(start),
    }
  })
  const [home, phone] = hosts as unknown as [Host, Host]
  return {
    home,
    phone,
    remove() {
      for (const { calls } of hosts) calls.end()
      for (const name of names) run('netns', 'del', name)
    },
  }
}

function run(...args: readonly string[]): void {
  execFileSync('ip', args as string[], { stdio: ['ignore', 'ignore', 'pipe'] })
}

function callsFrom(start: Host['spawn']): Calls {
  const child = start(process.execPath, [path.join(import.meta.dirname, 'caller.ts')])
  const waiting = new Map<number, (answer: never) => void>()
  let next = 0
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const { id, answer } = JSON.parse(line)
    waiting.get(id)?.(answer as never)
    waiting.delete(id)
  })
  const ask = <T>(question: object): Promise<T> => {
    next += 1
    const id = next
    return new Promise<T>((resolve) => {
      waiting.set(id, resolve as (answer: never) => void)
      child.stdin?.write(`${JSON.stringify({ id, ...question })}\n`)
    })
  }
  return {
    call: (method, url, body, headers = {}) => ask<Answer>({ method, url, body, headers }),
    resolve: (name) => ask<string | null>({ name }),
    end: () => void child.stdin?.end(),
  }
}
