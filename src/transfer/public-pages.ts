import type { FastifyInstance } from 'fastify'
import { type DisplayPageParts, displayPage } from './display-page.ts'
import { type RecapPageParts, recapPage } from './recap-page.ts'

/** The pages without the app, for whoever has an address: shared recaps and displays. `styleSheet` is the web app's. */
export function publicPages(
  app: FastifyInstance,
  parts: DisplayPageParts & RecapPageParts,
  styleSheet: () => Buffer | undefined,
): void {
  displayPage(app, parts, styleSheet)
  recapPage(app, parts, styleSheet)
}
