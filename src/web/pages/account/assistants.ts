/** The assistants whose settings are known here by name. */
export const assistants = {
  claudeCode: 'Claude Code',
  claudeDesktop: 'Claude Desktop',
  cursor: 'Cursor',
  vsCode: 'VS Code',
  codex: 'Codex',
  lmStudio: 'LM Studio',
  online: 'Claude or ChatGPT online',
  other: 'Anything else',
} as const

export type Assistant = keyof typeof assistants

/** Those that are given a setting or a command; Claude Desktop gets a file. */
export type SetUpAssistant = Exclude<Assistant, 'claudeDesktop'>

/** How much of the tools an assistant is shown, and what it reads for that each time; it narrows no right. */
export const shownTools = {
  all: {
    word: 'All tools',
    query: '',
    tools: 270,
    kilobytes: 110,
    says: 'for Claude, ChatGPT and others that look tools up as they need them. One that may only ask for changes reads half of that, and finds the rest.',
  },
  prepare: {
    word: 'To prepare',
    query: '?toolsets=dm-core',
    tools: 95,
    kilobytes: 42,
    says: 'to write and keep a campaign; fits where 128 are taken.',
  },
  play: { word: 'To run a night', query: '?toolsets=session', tools: 58, kilobytes: 25, says: 'for the table itself.' },
  player: {
    word: 'For a player',
    query: '?toolsets=player',
    tools: 39,
    kilobytes: 17,
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

/** `About 95 tools, 42 kB, which are some 11,000 tokens: …` */
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
export function setupOf(assistant: SetUpAssistant, address: string, key: string | null): Setup {
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
      const server = { type: 'http', url: address }
      const where = 'In mcp.json; the command “MCP: Open User Configuration” opens it.'
      if (key !== null) {
        // It asks for the key and keeps it among its secrets; in the file there is none.
        const inputs = [{ type: 'promptString', id: 'talekeeper-key', description: 'Talekeeper key', password: true }]
        const keyed = { ...server, headers: { Authorization: 'Bearer $' + '{input:talekeeper-key}' } }
        return {
          title: 'Add this to its settings',
          text: json({ inputs, servers: { talekeeper: keyed } }),
          hint: `${where} It asks for the key when it starts.`,
        }
      }
      return {
        title: 'Add this to its settings',
        text: json({ servers: { talekeeper: server } }),
        hint: where,
        link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'talekeeper', ...server }))}`,
        signIn: 'Press Start above its name.',
      }
    }
    case 'lmStudio': {
      const server = { url: address, ...headers }
      return {
        title: 'Add this to its settings',
        text: json({ mcpServers: { talekeeper: server } }),
        hint: 'In mcp.json: under Program, Install, Edit mcp.json.',
        link: `lmstudio://add_mcp?name=talekeeper&config=${encodeURIComponent(btoa(JSON.stringify(server)))}`,
      }
    }
    case 'online':
      return {
        title: 'Give it this address',
        text: address,
        hint: 'Claude: Customize, Connectors, add a custom connector. ChatGPT: Settings, Apps & Connectors, Advanced, switch developer mode on, then Create.',
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

/**
 * Whether assistants that run elsewhere can reach an address: by https, under a name that is not of this house. Whether the
 * internet really leads there, only the assistant finds out.
 */
export function isPublic(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  const isNumber = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  const isOfHouse = /(^localhost|\.(local|lan|home|internal|arpa|localhost))$/.test(hostname) || !hostname.includes('.')
  return protocol === 'https:' && !isNumber && !isOfHouse
}

/** Whether an address is that of the computer it is opened on. */
export function isThisComputer(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(address).hostname)
}

/** For a command line: a question mark would stand for any letter. */
function quoted(address: string): string {
  return address.includes('?') ? `"${address}"` : address
}
