import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { writeConnector } from '../../scripts/package/connector.ts'

test('a release has the connector, and what the registry is told is true of that very file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-release-'))
  try {
    await writeConnector(folder, '1.2.3', undefined)
    expect(readdirSync(folder)).toEqual(['talekeeper-1.2.3.mcpb'])
    const first = readFileSync(path.join(folder, 'talekeeper-1.2.3.mcpb'))
    await writeConnector(folder, '1.2.3', 'ellen/tale')
    const again = readFileSync(path.join(folder, 'talekeeper-1.2.3.mcpb'))
    // Made twice, it is the same file.
    expect(first.equals(again)).toBe(true)
    const entry = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'))
    // As the schema of the registry asks for: one slash, at most 100 characters, a hash, an exact version.
    expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    expect(entry.description.length).toBeLessThanOrEqual(100)
    expect(entry).toMatchObject({
      version: '1.2.3',
      repository: { url: 'https://github.com/ellen/tale', source: 'github' },
    })
    expect(entry.remotes).toBeUndefined()
    expect(entry.packages).toMatchObject([
      {
        registryType: 'mcpb',
        identifier: 'https://github.com/ellen/tale/releases/download/v1.2.3/talekeeper-1.2.3.mcpb',
        fileSha256: createHash('sha256').update(again).digest('hex'),
        transport: { type: 'stdio' },
      },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
