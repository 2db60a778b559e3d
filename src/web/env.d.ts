/** What the bundler understands beyond TypeScript. */

declare module '*.css' {}

/** What the client knows of every operation, put in place of this name by the build. */
declare const TALEKEEPER_OPERATIONS: Readonly<Record<string, import('./api/dependencies.ts').OperationFacts>>
