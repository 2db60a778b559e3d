import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { natives, programBundles, programSyntax, web } from '../../build.config.ts'
import type { OperationFacts } from '../../src/web/api/dependencies.ts'
import { projectRoot } from './node-runner.mjs'

export interface BundleSettings {
  /** Absolute folder that the bundle is written to. */
  readonly outputFolder: string
  /** For `npm run dev`: readable code and source maps. */
  readonly development: boolean
}

interface ProgramBundle {
  readonly entry: string
  readonly output: string
  /** The oldest Node that runs it, where that is not the program's. */
  readonly syntax?: string
  readonly minify?: boolean
}

/** One of the program's bundles, for Node. `define`: names that the build replaces by values. */
export function programOptions(
  name: keyof typeof programBundles,
  settings: BundleSettings,
  define: Readonly<Record<string, string>> = {},
): BuildOptions & Metafiled {
  const { entry, output, syntax = programSyntax, minify = false }: ProgramBundle = programBundles[name]
  return {
    ...commonOptions(settings),
    entryPoints: [path.join(projectRoot, entry)],
    outfile: path.join(settings.outputFolder, output),
    platform: 'node',
    format: 'cjs',
    target: syntax,
    // Names stay, for stack traces in a log.
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: minify,
    // One character beyond Latin-1 doubles what V8 keeps of the whole text in memory (escapeWideText).
    charset: 'ascii',
    // CommonJS output has no import.meta.
    banner: { js: "const __bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: {
      'import.meta.url': '__bundleUrl',
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      ...define,
    },
    // Its entry for Node asks for its own files in a way that no bundler sees.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    external: [...neverLoaded],
    plugins: [nativePackages(), partsOfPackages()],
  }
}

/**
 * Writes the characters beyond Latin-1 of a program's bundle as escapes: one of them doubles what V8 keeps of the whole text in
 * memory. esbuild has done so everywhere but in regular expressions and tagged templates, which read the same either way
 * (`String.raw` does not).
 */
export function escapeWideText(file: string): void {
  const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[\u0080-\uffff]/g, asEscape))
}

/**
 * The web client, for browsers, with its style sheets: the entry imports them.
 * @param operations what the client knows of each operation without knowing its schemas
 */
/**
 * The parsers of the editor's commands are for the ones that know a language; nothing of them is used, and their package does
 * not say that it may be left out then.
 */
const withoutParsers: Plugin = {
  name: 'without parsers',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@lezer\/common$/ }, async ({ path: name, resolveDir, kind, pluginData }) => {
      if (pluginData === 'resolved') return undefined
      const found = await resolve(name, { resolveDir, kind, pluginData: 'resolved' })
      return { ...found, sideEffects: false }
    })
  },
}

export function webOptions(
  settings: BundleSettings,
  operations: Readonly<Record<string, OperationFacts>>,
): BuildOptions & Metafiled {
  return {
    ...commonOptions(settings),
    entryPoints: [path.join(projectRoot, web.entry)],
    outdir: path.join(settings.outputFolder, 'web'),
    entryNames: `${web.hashedFolder}/[name]-[hash]`,
    chunkNames: `${web.hashedFolder}/[name]-[hash]`,
    assetNames: `${web.hashedFolder}/[name]-[hash]`,
    platform: 'browser',
    format: 'esm',
    splitting: true,
    // The client's own addresses are several levels deep, so what it loads is addressed from the root.
    publicPath: '/',
    define: { TALEKEEPER_OPERATIONS: JSON.stringify(operations) },
    plugins: [withoutParsers],
    target: [...web.syntax],
    minify: !settings.development,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // A sheet of some pages alone is a file that they fetch.
    loader: { '.page.css': 'file', '.woff2': 'file', '.svg': 'file', '.png': 'file', '.webp': 'file' },
    // Copied files, by their addresses.
    external: Object.values(web.copies).flatMap((folder) => (folder === '' ? [] : [`/${folder}/*`])),
  }
}

/** The names (main-ABCD1234.js) of what the page of the web client must load, relative to web/. */
export interface WebEntries {
  readonly script: string
  /** Chunks that the script imports at once: preloading them saves a round trip each. */
  readonly preloads: readonly string[]
  readonly style: string | undefined
}

/** @throws Error when the bundle holds a package that has no place in a browser. */
export function webEntries(metafile: Metafile, outputFolder: string): WebEntries {
  for (const name of web.forbiddenPackages) {
    const input = Object.keys(metafile.inputs).find((file) => file.includes(`node_modules/${name}/`))
    if (input !== undefined) throw new Error(`The web client must not contain ${name} (it came in with ${input}).`)
  }
  const relative = (file: string) =>
    path.relative(path.join(outputFolder, 'web'), path.resolve(projectRoot, file)).replaceAll(path.sep, '/')
  const outputs = Object.entries(metafile.outputs)
  const [script, output] = outputs.find(([, candidate]) => candidate.entryPoint === web.entry) ?? []
  if (script === undefined || output === undefined) throw new Error(`esbuild made nothing of ${web.entry}.`)
  return {
    script: relative(script),
    preloads: output.imports.filter((item) => item.kind === 'import-statement').map((item) => relative(item.path)),
    style: output.cssBundle === undefined ? undefined : relative(output.cssBundle),
  }
}

/** Options with the metafile asked for, so that a build's result is known to have one. */
interface Metafiled {
  readonly metafile: true
}

function commonOptions(settings: BundleSettings) {
  return {
    absWorkingDir: projectRoot,
    bundle: true,
    charset: 'utf8',
    sourcemap: settings.development ? 'linked' : false,
    // The texts of all licenses are in the file LICENSES.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  } as const satisfies BuildOptions
}

/**
 * Leaves packages with native binaries outside the bundle. From source they come from node_modules; the executable
 * takes them from natives/ beside it, after their hashes were checked. What is imported statically is loaded with the
 * bundle, before there is anybody to explain why it cannot be: that is said to whoever uses it first.
 */
function nativePackages(): Plugin {
  return {
    name: 'native-packages',
    setup(build) {
      const names = Object.keys(natives)
      build.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, (args) => ({
        path: args.path,
        namespace: 'native',
        pluginData: args.kind,
      }))
      build.onLoad({ filter: /.*/, namespace: 'native' }, ({ path: name, pluginData: kind }) => ({
        resolveDir: path.join(projectRoot, 'src'),
        loader: 'js',
        contents: `
          const { createRequire } = require('node:module')
          const path = require('node:path')
          const { installDir, isPackaged } = require('./assets.ts')
          function load() {
            require('./natives.ts').verifyNative(${JSON.stringify(name)})
            const base = isPackaged() ? path.join(installDir(), 'natives', 'index.js') : __filename
            return createRequire(base)(${JSON.stringify(name)})
          }
          ${kind === 'dynamic-import' ? 'module.exports = load()' : deferringFailure}`,
      }))
    },
  }
}

/** What fastify asks for where a route has a schema, and to be called without a socket. None has one, and nobody does. */
const neverLoaded = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'] as const

/** Packages that come as a whole for the one part that is used: name of the package, of the export, and its file. */
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'rate-limiter-flexible': { RateLimiterMemory: 'rate-limiter-flexible/lib/RateLimiterMemory.js' },
}

function partsOfPackages(): Plugin {
  return {
    name: 'parts-of-packages',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(${Object.keys(parts).join('|')})$`) }, ({ path: name }) => ({
        path: name,
        namespace: 'part',
      }))
      build.onLoad({ filter: /.*/, namespace: 'part' }, ({ path: name }) => ({
        resolveDir: path.join(projectRoot, 'src'),
        loader: 'js',
        contents: Object.entries(parts[name] ?? {})
          .map(([member, file]) => `exports.${member} = require(${JSON.stringify(file)})`)
          .join('\n'),
      }))
    },
  }
}

const deferringFailure = `
  try {
    module.exports = load()
  } catch (error) {
    module.exports = function () {
      throw error
    }
  }`
