import yazl from 'yazl'

// talekeeper.mcpb: what Claude Desktop installs by a double click (MCPB manifest 0.3). It holds no key; Claude Desktop asks
// for one and keeps it where it keeps secrets.

export interface ConnectorParts {
  readonly version: string
  /** The address that is offered, such as `http://127.0.0.1:8020`. */
  readonly url: string
  /** The program: one file that any Node from 20 on runs. */
  readonly bridge: Buffer
  /** PNG, 512 pixels. */
  readonly icon: Buffer
}

const entryPoint = 'server/bridge.cjs'

export function connectorManifest({ version, url }: Pick<ConnectorParts, 'version' | 'url'>): object {
  return {
    manifest_version: '0.3',
    name: 'talekeeper',
    display_name: 'Talekeeper',
    version,
    description: 'Reads your campaign and helps you write it, as far as you allow.',
    long_description:
      'Connects Claude Desktop with the Talekeeper on this computer or in this network. Make a key on its page "Connect an AI": the key says what the assistant may see and do, and you can take it back there at any time.',
    author: { name: 'Talekeeper contributors' },
    license: 'MIT',
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entryPoint}`],
        env: { TALEKEEPER_URL: `\${user_config.url}`, TALEKEEPER_TOKEN: `\${user_config.token}` },
      },
    },
    user_config: {
      url: {
        type: 'string',
        title: 'Address',
        description: 'Where Talekeeper is. Leave it as it is where that is this computer.',
        default: url,
        required: true,
      },
      token: {
        type: 'string',
        title: 'Key',
        description: 'From the page "Connect an AI" of Talekeeper. It begins with tkp_.',
        sensitive: true,
        required: true,
      },
    },
    tools_generated: true,
    compatibility: {
      claude_desktop: '>=0.10.0',
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: '>=20.0.0' },
    },
  }
}

/** The same bytes for the same parts, whenever it is made. */
export async function makeConnector(parts: ConnectorParts): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  // Some unpackers keep the rights: the file has to be readable by whoever installs it.
  const options = { mtime: new Date(Date.UTC(2026, 0, 1)), mode: 0o100644 }
  zip.addBuffer(Buffer.from(`${JSON.stringify(connectorManifest(parts), null, 2)}\n`), 'manifest.json', options)
  zip.addBuffer(parts.icon, 'icon.png', options)
  zip.addBuffer(parts.bridge, entryPoint, options)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
