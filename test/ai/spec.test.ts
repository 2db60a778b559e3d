import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// Every row about AI of SPEC 3, 8.2, 9 and of its appendix, with the test that shows it.

const rows: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'SPEC 3, policy and flags after the upgrade': [
    'process/start-and-stop.test.ts',
    'is upgraded at the start: every campaign member_consent, every flag off, nothing else changed (SPEC 3, 9)',
  ],
  'SPEC 3, a member ticks the consent option': [
    'secrecy/withheld.test.ts',
    'whoever opts in gives their own texts and nobody else’s, and may stop (SPEC 3)',
  ],
  'SPEC 3, the policy disabled': [
    'domain/scribe.test.ts',
    'gives out nothing of members under the policy disabled, whoever agreed, a Dungeon Master too (SPEC 3)',
  ],
  'SPEC 3, all material withheld': [
    'domain/scribe.test.ts',
    'is no_material, and no failure, where everything waits for consent (SPEC 3)',
  ],
  'SPEC 3, unchanged material': [
    'domain/scribe.test.ts',
    'is skipped where nothing was added, unless it is forced; a new note or wish is something new (SPEC 3)',
  ],
  'SPEC 3 and 9, the first run after the consent release': [
    'domain/scribe-upgrade.test.ts',
    'the first run after the upgrade drafts the same material again, once, and asks nobody who has not agreed (SPEC 3)',
  ],
  'SPEC appendix 1': [
    'domain/scribe.test.ts',
    'reads what its authors agreed to, and files the recap as a proposal of who asked (SPEC appendix 1)',
  ],
  'SPEC appendix 2, the recap': [
    'domain/scribe.test.ts',
    'says what is missing where there is no provider, and the material stays for the Dungeon Master (SPEC appendix 2)',
  ],
  'SPEC appendix 2, nothing is sent': [
    'http/ai-provider.test.ts',
    'no provider: nothing ever opens a socket (SPEC appendix 2)',
  ],
  'SPEC appendix 3': ['secrecy/withheld.test.ts', 'nothing of anybody is material until they opt in (SPEC appendix 3)'],
  'SPEC appendix 4': [
    'http/tokens-human.test.ts',
    'consent is a member’s own: others neither set nor see it, the DM sees it (SPEC appendix 4)',
  ],
  'SPEC 8.2 and appendix 5': [
    'http/ai-provider.test.ts',
    'counts as local only where the environment says so (SPEC 8.2, appendix 5)',
  ],
}

test.each(Object.entries(rows))('%s has the test that shows it', (_, [file, title]) => {
  expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(`'${title}'`)
})
