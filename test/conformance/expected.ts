import type { Revision } from './suite.ts'

// What each scenario is expected to find, by name: a scenario that does better or worse than this is looked at by a
// person, and so is one that the suite adds.

/** Scenario -> checks that pass, of those that need nothing of the suite's own on the server. */
export const generic: Readonly<Record<Revision, Readonly<Record<string, number>>>> = {
  '2026-07-28': {
    'tools-list': 4,
    'server-sse-multiple-streams': 1,
    'resources-list': 2,
    'sep-2164-resource-not-found': 4,
    'prompts-list': 2,
    'dns-rebinding-protection': 2,
    caching: 8,
    // Of these four the suite counts a refusal for the unknown tool as good enough; the run with fixtures says more.
    'input-required-result-missing-input-response': 1,
    'input-required-result-unsupported-methods': 2,
    'input-required-result-ignore-extra-params': 1,
    'input-required-result-validate-input': 3,
    // Not scored for this revision.
    'http-header-validation': 14,
    'tasks-status-notifications': 0,
  },
  '2025-11-25': {
    'server-initialize': 2,
    ping: 2,
    'tools-list': 3,
    'server-sse-multiple-streams': 0,
    'resources-list': 2,
    'prompts-list': 2,
    'dns-rebinding-protection': 2,
    // Not scored for this revision.
    'server-session-lifecycle': 0,
    'server-sse-polling': 0,
  },
}

/** Of `server-stateless`, what is checked without a tool of the suite, and what is not. */
export const stateless = {
  passed: 24,
  needsFixture: [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
} as const

/** How the suite says that the server has not the tool, prompt or resource that a scenario is about. */
export const needsFixture =
  /There is no (?:tool|prompt|resource) test|There is nothing to complete for arg1|Not testable:|Tool 'json_schema_2020_12_tool' not found|Prerequisite failed|Expected InputRequiredResult/

/** What this server does not have, and says so: methods of sessions that the older era could offer. */
export const absent: Readonly<Record<Revision, readonly string[]>> = {
  '2026-07-28': [],
  '2025-11-25': ['logging-set-level', 'tools-call-with-logging', 'resources-subscribe', 'resources-unsubscribe'],
}

/** Scenarios that fail with the fixtures too, and why. */
export const expectedFailures: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2026-07-28': {},
  '2025-11-25': {
    'tools-call-sampling': 'stateless by specification',
    'tools-call-elicitation': 'stateless by specification',
    'elicitation-sep1034-defaults': 'stateless by specification',
    'elicitation-sep1330-enums': 'stateless by specification',
  },
}

/** Scenarios of an extension that this server does not have. */
export const isExtension = (scenario: string): boolean => scenario.startsWith('tasks-')
