import type { ForeignSheet } from '../importing.ts'

export const beyondSheet: ForeignSheet = { format: 'dndbeyond', title: 'D&D Beyond JSON' }
export const foundrySheet: ForeignSheet = { format: 'foundry-dnd5e', title: 'Foundry dnd5e JSON' }
