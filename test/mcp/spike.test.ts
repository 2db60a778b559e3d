import { it } from 'vitest'
import { startServer } from '../support/server.ts'
import { callerOn } from '../support/callers.ts'
it('x', async () => {
  const s = await startServer()
  const code = s.app.setUpCode()
  const anon = callerOn(s, 'anon', 0, {})
  const r = await anon.post('/api/v1/auth/setup', { username: 'Marta', password: 'correct horse battery', code })
  console.log(r.status, r.text)
  const t = await anon.post('/api/v1/auth/token', { username: 'Marta', password: 'correct horse battery', tokenName: 'x', scope: 'dm' })
  console.log(t.status, t.text)
  const m = callerOn(s, 'marta', 1, { authorization: `Bearer ${t.body.token}` })
  const l = await m.mcp('tools/list')
  console.log(l.status, l.text.length, l.text.slice(0, 300))
  console.log((await m.tool('create_campaign', { name: 'X' })).content)
  await s.stop()
})
