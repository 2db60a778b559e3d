/** What the bundler understands beyond TypeScript. */

declare module '*.css' {}

/** METHOD and path of every operation, put in place of this name by the build. */
declare const TALEKEEPER_ROUTES: Readonly<Record<string, string>>
