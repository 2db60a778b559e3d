/** Who may think, and where. */
export type Place = 'none' | 'local' | 'internet'
export type ProviderKind = 'openai_compatible' | 'anthropic'

export interface AiProvider {
  readonly kind: 'none' | ProviderKind
  readonly baseUrl: string | null
  readonly reach: 'local' | 'internet'
  readonly model: string | null
  readonly contextTokens: number | null
  readonly monthlyTokens: number | null
  readonly hasKey: boolean
  readonly keyHint: string | null
  readonly keySetAt: string | null
  readonly ready: boolean
  readonly missing: string | null
  readonly external: boolean
}

export interface AiProblem {
  readonly failureClass: string
  readonly message: string
}

export interface AiModels {
  readonly models: readonly { readonly id: string; readonly name: string; readonly contextTokens: number | null }[]
  readonly problem: AiProblem | null
}

export interface AiTried {
  readonly said: string | null
  readonly milliseconds: number | null
  readonly leavesTheHouse: boolean
  readonly problem: AiProblem | null
}

/** A provider that is known by name: what is left to say of it is the model, and for some the key. */
export interface Preset {
  readonly value: string
  readonly word: string
  readonly place: Exclude<Place, 'none'>
  readonly kind: ProviderKind
  /** Empty where somebody types it. */
  readonly baseUrl: string
  /** How it is got going where it does not answer. */
  readonly asleep?: string
}

const local = { place: 'local', kind: 'openai_compatible' } as const
const internet = { place: 'internet', kind: 'openai_compatible' } as const

export const presets: readonly Preset[] = [
  {
    ...local,
    value: 'ollama',
    word: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    asleep: 'Does not answer. Start Ollama',
  },
  {
    ...local,
    value: 'lm-studio',
    word: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    asleep: 'Does not answer. Open it and start its server',
  },
  {
    ...local,
    value: 'llama-cpp',
    word: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    asleep: 'Does not answer. Start llama-server',
  },
  { ...local, value: 'other-local', word: 'Another address', baseUrl: '' },
  { ...internet, value: 'anthropic', kind: 'anthropic', word: 'Anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  { ...internet, value: 'openai', word: 'OpenAI', baseUrl: 'https://api.openai.com/v1' },
  { ...internet, value: 'openrouter', word: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1' },
  { ...internet, value: 'other', word: 'Another address', baseUrl: '' },
]

export const presetsAt = (place: Preset['place']): readonly Preset[] => presets.filter((each) => each.place === place)

/** The one whose address is chosen, else the one for any address. */
export function presetOf({ baseUrl, kind, reach }: Pick<AiProvider, 'baseUrl' | 'kind' | 'reach'>): Preset {
  const here = presetsAt(reach)
  const known =
    kind === 'none' || baseUrl === null ? here[0] : here.find((each) => each.baseUrl === baseUrl && each.kind === kind)
  return known ?? (here.at(-1) as Preset)
}
