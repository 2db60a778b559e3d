/** What the bundler understands beyond TypeScript. */

declare module '*/main.css' {}

/** The address of a style sheet that is not part of the first view. */
declare module '*.page.css' {
  const url: string
  // biome-ignore lint/style/noDefaultExport: it is how the bundler gives a file's address
  export default url
}

/** What the client knows of every operation, put in place of this name by the build. */
declare const TALEKEEPER_OPERATIONS: Readonly<Record<string, import('./api/dependencies.ts').OperationFacts>>
