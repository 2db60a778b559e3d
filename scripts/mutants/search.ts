// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of sources, in which placeholders stand.
import type { Mutant } from './edits.ts'

const searching = ['test/storage/search.test.ts']
const beside = ['test/http/search.test.ts']
const names = ['test/http/identity-names.test.ts']
const signIn = ['test/http/identity-sign-in.test.ts']
const streams = ['test/http/streams.test.ts']

const run = 'src/storage/search-run.ts'
const words = 'src/storage/search-words.ts'

/** Guards of what is looked for, of what people are called, and of how much one person may take up. */
export const search: readonly Mutant[] = [
  {
    without: 'the deadline of a search',
    file: run,
    edits: [['isLate ||= !mayGoOn()', 'mayGoOn()']],
    tests: searching,
  },
  {
    without: 'who sees what a search has found',
    file: run,
    edits: [['      if (seen !== 1) continue\n      found', '      found']],
    tests: beside,
  },
  {
    without: 'who sees a name that is nearly right',
    file: run,
    edits: [['if (isSeen.get({ ...plan.bindings, id }) !== undefined) seen.push(id)', 'seen.push(id)']],
    tests: searching,
  },
  {
    without: 'the bound of what is ranked',
    file: run,
    edits: [['if (found > mostRanked) {', 'if (found < 0) {']],
    tests: searching,
  },
  {
    without: 'the range of the viewer in the index of what is closed',
    file: 'src/storage/search-places.ts',
    edits: [['<< ${userBits})`\n', '<< ${userBits + 20})`\n']],
    tests: searching,
  },
  {
    without: 'the bound of the words of a search',
    file: words,
    edits: [['if (words.size >= mostWords) beyond', 'if (words.size < 0) beyond']],
    tests: searching,
  },
  {
    without: 'the shortest word of a search',
    file: words,
    edits: [['if (isShort || words.has(folded)) continue', 'if (words.has(folded)) continue']],
    tests: searching,
  },
  {
    without: 'the share of one person in the searches that wait',
    file: 'src/storage/searcher.ts',
    edits: [['if (mine >= mostOfOne) throw', 'if (mine < 0) throw']],
    tests: searching,
  },
  {
    without: 'the eyes through which a read was prepared',
    file: 'src/kernel/execute.ts',
    edits: [['if (before !== undefined && !isSameViewer(before, viewer)) throw', 'if (viewer.userId < 0) throw']],
    tests: ['test/storage/prepare.test.ts'],
  },
  {
    without: 'the names that look like another',
    file: 'src/domain/user/rules.ts',
    edits: [['if (users.alike(username).some(({ id }) => id !== except))', 'if (users.alike(username).length < 0)']],
    tests: names,
  },
  {
    without: 'the refusal of what is not seen in a name',
    file: 'src/domain/user/rules.ts',
    edits: [['(?!.*\\p{DI})', '']],
    tests: names,
  },
  {
    without: 'the reading direction of a line',
    file: 'src/kernel/fields.ts',
    edits: [["text.replaceAll(unseen, '')", 'text']],
    tests: names,
  },
  {
    without: 'whose device it is',
    file: 'src/identity/devices.ts',
    edits: [['JSON.stringify([id, person, passwordHash])', "JSON.stringify([id, person === '' ? passwordHash : ''])"]],
    tests: signIn,
  },
  {
    without: 'the count of a known device',
    file: 'src/identity/limits.ts',
    edits: [
      [
        'if (device !== null) return attempt([[known, device]])',
        "if (device === '') return attempt([[known, device]])",
      ],
    ],
    tests: signIn,
  },
  {
    without: 'the most streams of a person',
    file: 'src/live/hub.ts',
    edits: [['theirs.length < mostOfPerson && ', '']],
    tests: streams,
  },
  {
    without: 'the most streams of a credential',
    file: 'src/live/hub.ts',
    edits: [[' && own.length < mostOfCredential', '']],
    tests: streams,
  },
]
