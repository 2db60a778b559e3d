import { ModelFailure, type ModelPort } from '../../src/kernel/model-port.ts'

/** For systems in which no model is chosen. */
export const noModel: ModelPort = {
  status: () => ({
    ...{ kind: 'none', model: null, host: null, external: false, contextTokens: null },
    ...{ ready: false, missing: 'No AI is set up on this server.' },
  }),
  generate: () => Promise.reject(new ModelFailure('no_provider')),
  generateValue: () => Promise.reject(new ModelFailure('no_provider')),
}
