import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The beginnings of what takes longest, longest first: begun last, one of them would keep one core busy alone. */
const longest = [
  'test/browser/pages',
  'test/process/archives-points',
  'test/process/',
  'test/browser/',
  'test/archive/faults',
  'test/archive/',
  'test/secrecy/',
  'test/clients/',
  'test/http/role-matrix',
]

/** Vitest orders by the time of earlier runs; a new clone has none. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((beginning) => moduleId.replaceAll('\\', '/').includes(`/${beginning}`))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
