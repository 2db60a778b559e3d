import type { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWorker } from '../../src/assets.ts'
import type { Caller } from '../support/callers.ts'
import { startWorld } from '../support/world-file.ts'

// A search over HTTP runs on a thread of its own, with a connection of its own, and answers as any other call does.

async function withSearch() {
  const threads: Worker[] = []
  const world = await startWorld({
    startThread: () => {
      threads.push(startWorker())
      return threads.at(-1) as Worker
    },
  })
  onTestFinished(() => world.server.stop())
  const campaign = `/api/v1/campaigns/${world.id('campaign')}`
  const titles = async (caller: Caller, query: string): Promise<string[]> => {
    const { status, body } = await caller.get(`${campaign}/search?query=${encodeURIComponent(query)}`)
    expect(status).toBe(200)
    return body.items.map(({ title }: { title: string }) => title)
  }
  return { world, campaign, titles, threads }
}

describe('a search', () => {
  test('beside the main thread finds what was written just before, as each may see it', async () => {
    const { world, campaign, titles, threads } = await withSearch()
    const { dm, player } = world.callers
    const { body } = await dm.post(`${campaign}/npcs`, { name: 'Quillon', hidden: true, dmSecret: 'zanzibar' })
    expect([await titles(dm, 'quillon'), await titles(player, 'quillon')]).toEqual([['Quillon'], []])
    // Nearly right names are looked for by other statements.
    expect([await titles(dm, 'quilon'), await titles(player, 'quilon')]).toEqual([['Quillon'], []])
    expect((await dm.post(`${campaign}/reveal`, { entityType: 'npc', entityId: body.id })).status).toBe(200)
    expect([await titles(dm, 'quillon'), await titles(player, 'quillon')]).toEqual([['Quillon'], ['Quillon']])
    expect([await titles(dm, 'zanzibar'), await titles(player, 'zanzibar')]).toEqual([['Quillon'], []])
    expect((await dm.request('DELETE', `/api/v1/npcs/${body.id}`)).status).toBe(200)
    expect(await titles(dm, 'quillon')).toEqual([])
    expect(threads).toHaveLength(1)
  })

  test('lets go of the database for a restore, and finds what is in the one that comes', async () => {
    const { world, campaign, titles, threads } = await withSearch()
    const { server } = world
    const { dm } = world.callers
    await dm.post(`${campaign}/npcs`, { name: 'Quillon' })
    const archive = `${server.dataDir}-search.zip`
    await server.app.archive.create({ destination: archive })
    await dm.post(`${campaign}/npcs`, { name: 'Ravenna' })
    expect([await titles(dm, 'quillon'), await titles(dm, 'ravenna')]).toEqual([['Quillon'], ['Ravenna']])
    const ended = threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)))
    await server.app.archive.restore(archive, { actor: { username: 'admin' } })
    // The thread that searched ended with the database that it had open.
    await Promise.any(ended)
    const again = world.session('dm')
    expect([await titles(again, 'quillon'), await titles(again, 'ravenna')]).toEqual([['Quillon'], []])
  })
})
