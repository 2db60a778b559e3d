// What the build folder holds beside the bundles.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { docs, icons, samplePictures, type Target, targets, web } from '../../build.config.ts'
import { type WebEntries, webEntries } from './bundles.ts'
import { programPng, writeTrayIcons } from './icons.ts'
import { projectRoot } from './node-runner.mjs'
import { writeSamplePictures } from './sample-pictures.ts'
import { copyTrayHelper } from './tray-helper.ts'

/**
 * Writes the page of the web client: the source page with the names of this build in the places that it marks.
 * @throws Error when it does not mark them.
 */
export function writePage(metafile: Metafile, outputFolder: string): void {
  let page = readFileSync(path.join(projectRoot, web.page), 'utf8')
  for (const [mark, tags] of Object.entries(pageTags(webEntries(metafile, outputFolder)))) {
    if (!page.includes(mark)) throw new Error(`${web.page} does not say where ${mark} is to be.`)
    page = page.replace(mark, () => tags.join(''))
  }
  writeFileSync(path.join(outputFolder, 'web', 'index.html'), page)
}

/** Puts in what needs no bundling: pictures, Swagger UI, the tray icons, the connector's, and this machine's tray helper. */
export async function addStaticFiles(outputFolder: string): Promise<void> {
  for (const [from, to] of Object.entries(web.copies)) {
    const source = path.join(projectRoot, from)
    if (existsSync(source)) cpSync(source, path.join(outputFolder, 'web', to), { recursive: true })
  }
  for (const file of docs.files) {
    cpSync(path.join(projectRoot, 'node_modules', docs.package, file), path.join(outputFolder, 'docs', file))
  }
  const here = Object.values<Target>(targets).find(({ os, cpu }) => os === process.platform && cpu === process.arch)
  if (here !== undefined) copyTrayHelper(here, outputFolder)
  await writeTrayIcons(path.join(outputFolder, 'tray'))
  await writeSamplePictures(path.join(outputFolder, samplePictures.output))
  const connector = path.join(outputFolder, 'assistant')
  mkdirSync(connector, { recursive: true })
  writeFileSync(path.join(connector, 'icon.png'), await programPng(icons.program.connectorSize))
}

/** Smaller files fit into the packet that they come in anyway. In bytes. */
const leastCompressed = 1024

/**
 * Writes a brotli and a gzip twin beside every text of the web client and the API's documents, so that no request pays
 * for compression (http/pages.ts sends them). A twin that saves less than a tenth is left out.
 */
export async function compressStaticFiles(outputFolder: string): Promise<void> {
  const names = assetNames(outputFolder).filter((name) =>
    /^(web|docs)\/.*\.(js|css|svg|html|json|txt|webmanifest)$/.test(name),
  )
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(outputFolder, name)
      const bytes = readFileSync(file)
      if (bytes.byteLength < leastCompressed) return
      const quality = name.startsWith('web/') ? constants.BROTLI_MAX_QUALITY : 9
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: quality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
            [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          },
        }),
        promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
      ])
      for (const [extension, twin] of [
        ['br', br],
        ['gz', gz],
      ] as const) {
        if (twin.byteLength < bytes.byteLength * 0.9) writeFileSync(`${file}.${extension}`, twin)
      }
    }),
  )
}

/** Names of the files that the program reads as assets, sorted. All but its main file and the build's own marks. */
export function assetNames(outputFolder: string): readonly string[] {
  return globSync(
    [
      'web/**/*',
      'docs/**/*',
      'tray/*',
      'assistant/*',
      'sample/*',
      'worker.cjs',
      'vendor.cjs',
      'protocol.cjs',
      'LICENSES',
    ],
    {
      cwd: outputFolder,
      withFileTypes: true,
    },
  )
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(outputFolder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort()
}

/** Writes the list that src/assets.ts reads. Last, because it makes the new files visible. */
export function writeManifest(outputFolder: string): void {
  writeFileSync(path.join(outputFolder, 'assets.json'), JSON.stringify(assetNames(outputFolder), null, 1))
}

/** Addresses from the root, because the client's own addresses are several levels deep. */
function pageTags(entries: WebEntries): Readonly<Record<string, readonly string[]>> {
  return {
    '<!--icon-->': [`<link rel="icon" href="${web.icon}">`],
    '<!--styles-->': entries.style === undefined ? [] : [`<link rel="stylesheet" href="/${entries.style}">`],
    '<!--scripts-->': [
      ...entries.preloads.map((file) => `<link rel="modulepreload" href="/${file}">`),
      `<script type="module" src="/${entries.script}"></script>`,
    ],
  }
}
