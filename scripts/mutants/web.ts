import type { Mutant } from './edits.ts'

const actions = ['test/web/actions.test.ts']
const cache = ['test/web/cache.test.ts']

export const web: readonly Mutant[] = [
  {
    without: 'the way back of a change that did not come through',
    file: 'src/web/shell/actions.ts',
    edits: [
      ['    } catch (error) {\n      for (const change of pending) change.takeBack()\n', '    } catch (error) {\n'],
    ],
    tests: actions,
  },
  {
    without: 'the way back of a change that became a proposal',
    file: 'src/web/shell/actions.ts',
    edits: [
      [
        'say.\n        for (const change of pending) change.takeBack()\n',
        'say.\n        for (const change of pending) change.keep()\n',
      ],
    ],
    tests: actions,
  },
  {
    without: 'the word that the last change was not saved',
    file: 'src/web/api/connection.ts',
    edits: [["return failed.value ? 'unsaved' : 'saved'", "return 'saved'"]],
    tests: actions,
  },
  {
    without: 'the answer that ends a change that is shown ahead of it',
    file: 'src/web/api/cache.ts',
    edits: [['              for (const overlay of taken) overlays.delete(overlay)\n', '']],
    tests: cache,
  },
  {
    without: 'the changes of others under one that is shown ahead',
    file: 'src/web/api/cache.ts',
    edits: [['              answered = data\n              for', '              answered ??= data\n              for']],
    tests: cache,
  },
  {
    without: 'what an operation reads, of what is fetched anew',
    file: 'src/web/api/dependencies.ts',
    edits: [['  for (const one of changed) if (read.has(one)) return true\n', '']],
    tests: ['test/web/dependencies.test.ts'],
  },
]
