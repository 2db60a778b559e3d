import { beyondImporter } from './dnd5e/import-beyond.ts'
import { foundryImporter } from './dnd5e/import-foundry.ts'
import type { SheetImporter } from './importing.ts'

/** Every kind of sheet of other programs that can be taken over: those that the families name as `foreignSheets`. */
export const importers: readonly SheetImporter[] = [beyondImporter, foundryImporter]
