import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { Account, Folders } from './server-process.ts'

/** Root may read and write everything, so that what an account may not do shows only under another one. */
export const isRoot = process.getuid?.() === 0

/** An account without rights of its own, where the tests run as root; else the one they run as. */
export const plain: Account | undefined = isRoot ? { uid: 65_534, gid: 65_534 } : undefined

/** Gives a folder with all in it to the account that the program is started under. */
export function giveTo(account: Account | undefined, folder: string): void {
  if (account === undefined) return
  lchownSync(folder, account.uid, account.gid)
  for (const item of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(path.join(item.parentPath, item.name), account.uid, account.gid)
}

/** Lets the account reach the folders of an installation, which are made for the tests' own. */
export function openTo(account: Account | undefined, { root }: Folders): void {
  chmodSync(root, 0o755)
  giveTo(account, root)
}

/** A small disk of its own on a folder. Null where this machine does not let the tests make one. */
export function mountDisk(folder: string, bytes: number, options = ''): { unmount(): void } | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}${options}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return null
  }
  return { unmount: () => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' }) }
}
