/** The assistants whose settings are known here by name. */
export const assistants = {
  claudeCode: 'Claude Code',
  claudeDesktop: 'Claude Desktop',
  cursor: 'Cursor',
  vsCode: 'VS Code',
  codex: 'Codex',
  other: 'Anything else',
} as const

export type Assistant = keyof typeof assistants

/** How much of the tools an assistant is shown, and what it reads for that each time; it narrows no right. */
export const shownTools = {
  all: {
    word: 'All tools',
    query: '',
    tools: 270,
    kilobytes: 130,
    says: 'for Claude, ChatGPT and others that look tools up as they need them.',
  },
  prepare: {
    word: 'To prepare',
    query: '?toolsets=dm-core',
    tools: 95,
    kilobytes: 50,
    says: 'to write and keep a campaign; fits where 128 are taken.',
  },
  play: { word: 'To run a night', query: '?toolsets=session', tools: 58, kilobytes: 30, says: 'for the table itself.' },
  player: {
    word: 'For a player',
    query: '?toolsets=player',
    tools: 39,
    kilobytes: 20,
    says: 'one character’s share; fits where 40 are taken.',
  },
  compact: {
    word: 'Three that find the rest',
    query: '?mode=compact',
    tools: 3,
    kilobytes: 1,
    says: 'for small models on your own computer: it searches for a tool, then calls it.',
  },
} as const

export type ShownTools = keyof typeof shownTools

/** `About 95 tools, 50 kB, which are 12,000 tokens: …` */
export function sizeInWords(shown: ShownTools): string {
  const { tools, kilobytes, says } = shownTools[shown]
  const tokens = Math.max(1, Math.round(kilobytes / 4)) * 1000
  return `${shown === 'compact' ? 'Three' : `About ${tools}`} tools, ${kilobytes} kB, which are some ${tokens.toLocaleString('en')} tokens: ${says}`
}

/** What somebody does in an assistant to let it in. */
export interface Setup {
  /** What is done with the text. */
  readonly title: string
  readonly text: string
  /** What is to be known besides. */
  readonly hint?: string
  /** Opens the assistant with these settings. */
  readonly link?: string
  /** What makes it ask to be let in; without it, it does so by itself. */
  readonly signIn?: string
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/**
 * `key` is null for those that sign in by themselves.
 * Sources: the assistants' own documentation of remote MCP servers over streamable HTTP.
 */
export function setupOf(assistant: Assistant, address: string, key: string | null): Setup {
  const headers = key === null ? {} : { headers: { Authorization: `Bearer ${key}` } }
  switch (assistant) {
    case 'claudeCode': {
      const header = key === null ? '' : ` --header "Authorization: Bearer ${key}"`
      return {
        title: 'Run this once',
        text: `claude mcp add --transport http --scope user talekeeper ${quoted(address)}${header}`,
        signIn: 'Type /mcp in it and choose talekeeper.',
      }
    }
    case 'claudeDesktop':
      return {
        title: 'Add this to its settings',
        text: json({ mcpServers: { talekeeper: { command: 'npx', ...bridge(address, key) } } }),
        hint: 'Under Settings, Developer, Edit config. It needs Node on the same computer.',
        signIn: 'Start it again.',
      }
    case 'cursor': {
      const server = { url: address, ...headers }
      return {
        title: 'Add this to its settings',
        text: json({ mcpServers: { talekeeper: server } }),
        hint: 'In mcp.json, in the folder .cursor of your home.',
        link: `cursor://anysphere.cursor-deeplink/mcp/install?name=talekeeper&config=${encodeURIComponent(btoa(JSON.stringify(server)))}`,
      }
    }
    case 'vsCode': {
      const server = { type: 'http', url: address, ...headers }
      return {
        title: 'Add this to its settings',
        text: json({ servers: { talekeeper: server } }),
        hint: 'In mcp.json; the command “MCP: Open User Configuration” opens it.',
        link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'talekeeper', ...server }))}`,
        signIn: 'Press Start above its name.',
      }
    }
    case 'codex':
      return key === null
        ? {
            title: 'Run this once',
            text: `codex mcp add talekeeper --url ${quoted(address)}\ncodex mcp login talekeeper`,
          }
        : {
            title: 'Add this to its settings',
            text: `[mcp_servers.talekeeper]\nurl = "${address}"\nhttp_headers = { "Authorization" = "Bearer ${key}" }`,
            hint: 'In config.toml, in the folder .codex of your home.',
          }
    case 'other':
      return key === null
        ? { title: 'Give it this address', text: address, hint: 'It speaks MCP over streamable HTTP.' }
        : {
            title: 'Add this to its settings',
            text: json({ mcpServers: { talekeeper: { type: 'http', url: address, ...headers } } }),
            hint: 'Where it asks for an address and a header only, those are the two in there.',
          }
  }
}

/** mcp-remote turns a program that only starts other programs into a client of ours. */
function bridge(address: string, key: string | null): object {
  const insecure = address.startsWith('http:') && !isThisComputer(address) ? ['--allow-http'] : []
  const args = ['-y', 'mcp-remote', address, ...insecure]
  if (key === null) return { args }
  // In the environment: on Windows an argument with a space in it is taken apart.
  return {
    args: [...args, '--header', 'Authorization:$' + '{TALEKEEPER_KEY}'],
    env: { TALEKEEPER_KEY: `Bearer ${key}` },
  }
}

/** Whether an address is that of the computer it is opened on. */
export function isThisComputer(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname)
}

/** For a command line: a question mark would stand for any letter. */
function quoted(address: string): string {
  return address.includes('?') ? `"${address}"` : address
}
