import { skeletonOf } from './confusables.ts'

/** Two names that fold to the same text are the same name, in every script. SQLite's NOCASE knows ASCII only. */
export function foldUsername(username: string): string {
  return username.trim().normalize('NFKC').toLowerCase()
}

/** Whether somebody who reads the names, as they are written or in small letters, could take one for the other. */
export function areLookAlike(one: string, other: string): boolean {
  const asWritten = (name: string): string => skeletonOf(name.trim().normalize('NFKC'))
  const inSmall = (name: string): string => skeletonOf(foldUsername(name))
  return asWritten(one) === asWritten(other) || inSmall(one) === inSmall(other)
}
