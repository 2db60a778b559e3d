// Takes one guard away at a time and expects the suite to notice: `npm run test:mutants`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

interface Mutant {
  readonly name: string
  readonly file: string
  /** Texts and what replaces them; each must be there exactly once. */
  readonly edits: readonly (readonly [from: string, to: string])[]
  /** The tests that must notice. */
  readonly tests: readonly string[]
}

const mutants: readonly Mutant[] = [
  {
    name: 'an access check',
    file: 'src/kernel/authorise.ts',
    edits: [['    if (!atLeast(role, least)) throw', '    if (role === null) throw']],
    tests: ['test/http/role-matrix.test.ts'],
  },
  {
    name: 'a dmOnly mark',
    file: 'src/domain/npc/entity.ts',
    edits: [
      [
        "dmSecret: nullable(prose(), { dmOnly: true, search: 'body' })",
        "dmSecret: nullable(prose(), { search: 'body' })",
      ],
    ],
    tests: ['test/secrecy'],
  },
  {
    name: 'a visible predicate',
    file: 'src/domain/quest/entity.ts',
    edits: [
      ['import { unlessHidden }', 'import { everyone }'],
      ['  visible: unlessHidden,', '  visible: everyone,'],
    ],
    tests: ['test/secrecy'],
  },
  {
    name: 'the transaction',
    file: 'src/storage/store.ts',
    // The savepoint inside would otherwise become the transaction.
    edits: [
      [
        'transaction: (work) => refusingBusy(() => connection.transaction(work).immediate()),',
        'transaction: (work) => work(),',
      ],
      ['savepoint: (work) => connection.transaction(work)(),', 'savepoint: (work) => work(),'],
    ],
    tests: ['test/unit/storage-atomicity.test.ts'],
  },
  {
    name: 'the consent filter',
    file: 'src/domain/session/consent.ts',
    edits: [["policy === 'member_consent' && consenting.has(authorUserId)", "policy === 'member_consent'"]],
    tests: ['test/unit/domain-consent.test.ts', 'test/secrecy'],
  },
]

const root = path.resolve(import.meta.dirname, '..')
const copied = [
  'src',
  'test',
  'scripts',
  'assets',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'build.config.ts',
  'biome.json',
]

function copyTree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-mutant-'))
  for (const name of copied) cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'build'])
    if (existsSync(path.join(root, name))) symlinkSync(path.join(root, name), path.join(folder, name))
  return folder
}

/** Applies the edits; a mutant whose text is gone guards nothing any more and must be mended. */
function mutate(folder: string, { name, file, edits }: Mutant): void {
  const target = path.join(folder, file)
  let text = readFileSync(target, 'utf8')
  for (const [from, to] of edits) {
    if (text.split(from).length !== 2)
      throw new Error(`mutant "${name}": its text is not in ${file} exactly once: ${from}`)
    text = text.replace(from, to)
  }
  writeFileSync(target, text)
}

/** Whether the tests pass in a folder. */
function passes(folder: string, tests: readonly string[]): boolean {
  const present = tests.filter((test) => existsSync(path.join(folder, test)))
  if (present.length === 0) throw new Error(`none of ${tests.join(', ')} exists`)
  const { status } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--bail=1', ...present],
    {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  return status === 0
}

function withCopy<T>(work: (folder: string) => T): T {
  const folder = copyTree()
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const every = Array.from(new Set(mutants.flatMap(({ tests }) => tests)))
if (!withCopy((folder) => passes(folder, every))) {
  console.error('The tests fail before anything is mutated; mend that first.')
  process.exit(1)
}
let survived = 0
for (const mutant of mutants) {
  const killed = withCopy((folder) => {
    mutate(folder, mutant)
    return !passes(folder, mutant.tests)
  })
  if (!killed) survived += 1
  console.log(`${killed ? 'killed  ' : 'SURVIVED'}  without ${mutant.name} (${mutant.file})`)
}
console.log(`${mutants.length - survived} of ${mutants.length} mutants killed`)
process.exit(survived === 0 ? 0 : 1)
