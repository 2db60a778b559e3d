// The connector for Claude Desktop as a file of a release, and what the MCP registry is told of it.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { product } from '../../build.config.ts'
import { makeConnector } from '../../src/mcp/connector.ts'
import { projectRoot } from '../lib/node-runner.mjs'

export interface RegistryFacts {
  /** `owner/name` on GitHub. */
  readonly repository: string
  readonly version: string
  readonly fileName: string
  readonly sha256: string
}

const defaultUrl = 'http://127.0.0.1:8020'

/** server.json of the MCP registry, schema of 2025-12-11. No remotes: those have to be reachable by everybody. */
export function registryEntry({ repository, version, fileName, sha256 }: RegistryFacts): object {
  const [owner = ''] = repository.split('/')
  const url = `https://github.com/${repository}`
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `io.github.${owner}/talekeeper`,
    title: product.name,
    description: `${product.summary}: the one that runs on your computer`,
    version,
    repository: { url, source: 'github' },
    packages: [
      {
        registryType: 'mcpb',
        identifier: `${url}/releases/download/v${version}/${fileName}`,
        version,
        fileSha256: sha256,
        transport: { type: 'stdio' },
        environmentVariables: [
          { name: 'TALEKEEPER_URL', description: 'Where Talekeeper is', isRequired: true, default: defaultUrl },
          {
            name: 'TALEKEEPER_TOKEN',
            description: 'A key from its page "Connect an AI"',
            isRequired: true,
            isSecret: true,
          },
        ],
      },
    ],
  }
}

/** Writes the connector, and server.json where it is known which repository publishes it. */
export async function writeConnector(
  releaseFolder: string,
  version: string,
  repository: string | undefined,
): Promise<void> {
  const part = (name: string): Buffer => readFileSync(path.join(projectRoot, 'build', 'assistant', name))
  const bytes = await makeConnector({ version, url: defaultUrl, bridge: part('bridge.cjs'), icon: part('icon.png') })
  const fileName = `talekeeper-${version}.mcpb`
  writeFileSync(path.join(releaseFolder, fileName), bytes)
  if (repository === undefined) return
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const entry = registryEntry({ repository, version, fileName, sha256 })
  writeFileSync(path.join(releaseFolder, 'server.json'), `${JSON.stringify(entry, null, 2)}\n`)
}
