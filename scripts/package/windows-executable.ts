// What makes Node's executable for Windows one of a program of its own: icon, version resource and subsystem.
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit'
import { product } from '../../build.config.ts'
import { programIco } from '../lib/icons.ts'

/** English (United States), in UTF-16: the language of Node's own resources, which are replaced. */
const language = { lang: 0x409, codepage: 1200 } as const
const iconGroup = 1

/** Subsystems of the optional header: a program of the console gets a window for its output, one of the GUI none. */
const subsystems = { gui: 2, console: 3 } as const
/** From the signature "PE\0\0" on: it and the file header are 24 bytes, then comes the optional header with the field. */
const subsystemOffset = 24 + 68
/** The fifth data directory says where a signature is. */
const certificateOffset = 24 + 112 + 4 * 8
const x64 = 0x8664

/** The executable with our icon and version. Node's signature goes: it does not fit what the file has become. */
export async function withResources(file: Buffer, version: string): Promise<Buffer> {
  const executable = NtExecutable.from(file, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  Resource.IconGroupEntry.replaceIconsForResource(
    resources.entries,
    iconGroup,
    language.lang,
    Data.IconFile.from(await programIco()).icons.map(({ data }) => data),
  )
  const [info] = Resource.VersionInfo.fromEntries(resources.entries)
  if (info === undefined) throw new Error('Node for Windows has no version resource.')
  const numbers = numericVersion(version)
  info.setFileVersion(numbers, language.lang)
  info.setProductVersion(numbers, language.lang)
  info.removeAllStringValues(language)
  info.setStringValues(language, {
    CompanyName: product.publisher,
    FileDescription: product.name,
    FileVersion: version,
    InternalName: 'talekeeper',
    LegalCopyright: product.copyright,
    OriginalFilename: 'talekeeper.exe',
    ProductName: product.name,
    ProductVersion: version,
  })
  info.outputToResourceEntries(resources.entries)
  resources.outputResource(executable)
  return Buffer.from(executable.generate())
}

/** Version resources hold four numbers: a mark such as -rc.1 is left out. */
export function numericVersion(version: string): string {
  const [numbers = ''] = version.split(/[-+]/)
  return [...numbers.split('.'), '0', '0', '0', '0'].slice(0, 4).join('.')
}

/** A copy that differs in the subsystem alone. */
export function withSubsystem(file: Buffer, subsystem: keyof typeof subsystems): Buffer {
  const copy = Buffer.from(file)
  copy.writeUInt16LE(subsystems[subsystem], peHeader(copy) + subsystemOffset)
  return copy
}

/** What Windows shows of an executable. */
export interface WindowsFacts {
  readonly subsystem: keyof typeof subsystems | null
  readonly isSigned: boolean
  readonly iconSizes: readonly number[]
  readonly strings: Readonly<Record<string, string>>
  readonly fileVersion: string
}

/** @throws Error when it is no executable for Windows on x64. */
export function readWindowsExecutable(file: Buffer): WindowsFacts {
  const header = peHeader(file)
  if (file.readUInt16LE(header + 4) !== x64) throw new Error('This executable is not for x64.')
  const subsystem = file.readUInt16LE(header + subsystemOffset)
  const { entries } = NtExecutableResource.from(NtExecutable.from(file, { ignoreCert: true }))
  const [info] = Resource.VersionInfo.fromEntries(entries)
  const [icon] = Resource.IconGroupEntry.fromEntries(entries)
  const { fileVersionMS: high = 0, fileVersionLS: low = 0 } = info?.fixedInfo ?? {}
  return {
    subsystem: subsystem === subsystems.gui ? 'gui' : subsystem === subsystems.console ? 'console' : null,
    isSigned: file.readUInt32LE(header + certificateOffset) !== 0,
    iconSizes: (icon?.icons ?? []).map(({ width }) => width || 256),
    strings: info?.getStringValues(language) ?? {},
    fileVersion: [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff].join('.'),
  }
}

/** Where the signature "PE\0\0" is. */
function peHeader(file: Buffer): number {
  const offset = file.readUInt32LE(0x3c)
  if (file.toString('latin1', offset, offset + 4) !== 'PE\0\0') throw new Error('This is no executable for Windows.')
  return offset
}
