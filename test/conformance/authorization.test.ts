import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeClients } from '../clients/installed.ts'
import { letInAndReturn } from '../clients/person.ts'
import { freePort, openTable, type Table } from '../clients/table.ts'
import { judgeAuthorizationServer } from './suite.ts'

describeClients('conformance of the authorization server', () => {
  let table: Table
  beforeAll(async () => {
    table = await openTable()
  })
  afterAll(() => table?.stop())

  it('passes both scenarios', async () => {
    const port = await freePort()
    const registered = await fetch(`${table.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Conformance',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    })
    const { client_id: clientId } = (await registered.json()) as { readonly client_id: string }
    const found = await judgeAuthorizationServer(
      ['--url', table.base, '--client-id', clientId, '-p', String(port), '--resource', `${table.base}/mcp`],
      (address) => letInAndReturn(address, table.marta),
    )
    const passed = Array.from(found.values()).filter(({ failed }) => failed === 0)
    console.info(`conformance of the authorization server: ${passed.length} of ${found.size} scenarios`)
    expect(Object.fromEntries(found)).toEqual({
      'authorization-server-metadata-endpoint': { passed: expect.any(Number), failed: 0, failures: [] },
      'authorization-code-grant': { passed: expect.any(Number), failed: 0, failures: [] },
    })
    for (const [name, scenario] of found) expect(scenario.passed, name).toBeGreaterThan(0)
  }, 600_000)
})
