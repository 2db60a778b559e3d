import { day, time } from '../../kit/format.ts'
import type { StoredBackup } from '../../shell/server.ts'

const dayMs = 24 * 3600 * 1000

/** `Today at 16:02`, `Yesterday at 03:00`, `2 November at 03:00`: two of one day are told apart. */
export function moment(iso: string, now = new Date()): string {
  const on = day(iso, now)
  const isDay = (at: number): boolean => on === day(new Date(at).toISOString(), now)
  const word = isDay(now.getTime()) ? 'Today' : isDay(now.getTime() - dayMs) ? 'Yesterday' : on
  return `${word} at ${time(iso)}`
}

/** When a kept backup was made; the name of one that cannot be read still tells. */
export function madeAt({ name, createdAt }: Pick<StoredBackup, 'name' | 'createdAt'>): string {
  const [, date = '', clock = ''] = /(\d{8})T(\d{6})Z/.exec(name) ?? []
  const iso = `${date.replace(/(....)(..)/, '$1-$2-')}T${clock.replace(/(..)(..)/, '$1:$2:')}Z`
  return moment(createdAt ?? iso)
}
