import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeClients } from '../clients/installed.ts'
import { openTable, type Table } from '../clients/table.ts'
import { absent, expectedFailures, generic, isExtension, needsFixture, stateless } from './expected.ts'
import { fixtureBearer, serveFixtures } from './fixtures.ts'
import { type BearerProxy, openProxy } from './proxy.ts'
import { type Findings, judgeServer, type Revision, type Tally, tally } from './suite.ts'

const revisions: readonly Revision[] = ['2026-07-28', '2025-11-25']
const mostMs = 600_000

function say(run: string, revision: Revision, { scenarios, passed, checks, failedChecks }: Tally): void {
  console.info(
    `conformance ${revision}, ${run}: ${passed} of ${scenarios} scored scenarios, ${checks} checks passed, ${failedChecks} failed`,
  )
}

describeClients('conformance of the server as it is', () => {
  let table: Table
  let proxy: BearerProxy
  beforeAll(async () => {
    table = await openTable()
    const { username, password } = table.marta
    const response = await fetch(`${table.base}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password, tokenName: 'conformance', scope: 'dm', admin: false }),
    })
    const { token } = (await response.json()) as { readonly token: string }
    proxy = await openProxy(table.base, token)
  })
  afterAll(async () => {
    await proxy?.stop()
    await table?.stop()
  })

  describe.each(revisions)('%s', (revision) => {
    let found: Findings
    beforeAll(async () => {
      found = await judgeServer(`${proxy.base}/mcp`, revision)
      say('the server as it is', revision, tally(found.scored))
    }, mostMs)
    const everything = () => new Map([...found.scored, ...found.unscored])

    it.each(Object.entries(generic[revision]))('%s passes, %i checks', (name, passed) => {
      expect(everything().get(name)).toEqual({ passed, failed: 0, failures: [] })
    })

    it('fails nothing else but for want of the tools, prompts and resources of the suite', () => {
      const others = Array.from(everything()).filter(
        ([name]) => generic[revision][name] === undefined && name !== 'server-stateless' && !isExtension(name),
      )
      expect(others.length).toBeGreaterThan(15)
      for (const [name, { failures }] of others) {
        expect(failures.length, name).toBeGreaterThan(0)
        const expected = absent[revision].includes(name) ? /Method not found/ : needsFixture
        for (const { check, message } of failures) expect(message, check).toMatch(expected)
      }
    })
  })

  it(
    'is stateless as far as that can be seen without a tool of the suite',
    async () => {
      const { scored } = await judgeServer(`${proxy.base}/mcp`, '2026-07-28')
      const { passed, failures } = scored.get('server-stateless') ?? {}
      expect(passed).toBe(stateless.passed)
      expect(failures?.map(({ check }) => check)).toEqual(stateless.needsFixture)
      for (const { message } of failures ?? []) expect(message).toMatch(/^Not testable: /)
    },
    mostMs,
  )
})

describeClients('conformance of the same route and handler with the fixtures of the suite', () => {
  let stop: () => Promise<void>
  let url: string
  beforeAll(async () => {
    const host = await serveFixtures()
    const proxy = await openProxy(host.base, fixtureBearer)
    url = `${proxy.base}/mcp`
    stop = async () => {
      await proxy.stop()
      await host.stop()
    }
  })
  afterAll(() => stop?.())

  it.each([
    ['2026-07-28', { scenarios: 37, passed: 37 }],
    ['2025-11-25', { scenarios: 30, passed: 26 }],
  ] as const)(
    '%s: %j',
    async (revision, expected) => {
      const { scored } = await judgeServer(url, revision)
      const found = tally(scored)
      say('with fixtures', revision, found)
      expect(found).toMatchObject(expected)
      const failed = Array.from(scored).filter((scenario) => scenario[1].failed > 0)
      expect(failed.map(([name]) => name).toSorted()).toEqual(Object.keys(expectedFailures[revision]).toSorted())
    },
    mostMs,
  )
})
