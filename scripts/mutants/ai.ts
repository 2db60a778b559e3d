import type { Mutant } from './edits.ts'

const port = 'src/kernel/model-port.ts'
const eyes = ['test/secrecy/model-eyes.test.ts']
const paths = ['test/ai/model-port.test.ts']

/** What the model of this server may read, where it may be, and what it may cost. */
export const models: readonly Mutant[] = [
  {
    without: 'the consent of members toward the model of this server',
    file: port,
    edits: [['ai: external ? terms : null', 'ai: null']],
    tests: eyes,
  },
  {
    without: 'the bound to what players read, for a model that may not read secrets',
    file: port,
    edits: [["const role = secrets ? 'dm' : 'player'", "const role = 'dm'"]],
    tests: [...eyes, 'test/secrecy/drafts.test.ts'],
  },
  {
    without: 'the judging of addresses that a name has',
    file: 'src/ai/guarded-fetch.ts',
    edits: [['for (const { address } of addresses) judge(address)', '']],
    tests: ['test/unit/ai-addresses.test.ts'],
  },
  {
    without: 'the endpoint that a key is bound to',
    file: 'src/ai/sealed-key.ts',
    edits: [["JSON.stringify(['talekeeper.ai', version, kind, baseUrl])", "'talekeeper.ai'"]],
    tests: ['test/unit/ai-addresses.test.ts'],
  },
  {
    without: 'the settlement of what an attempt cost',
    file: 'src/ai/model.ts',
    edits: [['settle(store(), reservation, usage, failure, clock().toISOString())', 'void settle']],
    tests: paths,
  },
]
