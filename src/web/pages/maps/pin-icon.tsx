import type { JSX } from 'preact'
import type { MapPin } from '../../api/contract.ts'

type PinIconName = MapPin['icon']

const drawings: Readonly<Record<PinIconName, string>> = {
  spot: 'M12 6.500l5.500 5.500-5.500 5.500-5.500-5.500Z',
  house: 'M4 11.5 12 4l8 7.500M6.500 10v9.500h11V10M10 19.500V14h4v5.5',
  door: 'M6.500 20.500V10a5.500 5.500 0 0 1 11 0v10.500ZM14.300 13.500v.1',
  road: 'M8 4v8.500L4.5 16v3.500H20v-2c0-2-3-2.5-4.500-3.500L14 11V4',
  water: 'M3 9c3-2.500 6-2.500 9 0s6 2.500 9 0M3 15c3-2.500 6-2.500 9 0s6 2.500 9 0',
  wood: 'M12 3 6.500 10.500h2.500L5 16.500h14l-4-6h2.500ZM12 16.500V21',
  camp: 'M12 4 3.500 19.500h17ZM12 4V2.500M9 19.500 12 13l3 6.500',
  fight: 'M20.5 3.5 9.5 14.500M20.500 3.500H16L7.500 12l4.500 4.500L20.500 8ZM5 13l6 6M8 16l-4.500 4.5',
  danger: 'M12 4 2.800 20h18.400ZM12 10v4.500M12 17.300v.1',
  person: 'M8 8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M4.500 20.500c.5-4 3.500-6 7.500-6s7 2 7.500 6',
  bell: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l2 2H4ZM10 18.500a2 2 0 0 0 4 0',
  map: 'm3 6.500 6-3 6 3 6-3v14l-6 3-6-3-6 3ZM9 3.500v14M15 6.500v14',
}

export const pinIcons: Readonly<Record<PinIconName, string>> = {
  spot: 'A spot',
  house: 'A house',
  door: 'A door',
  road: 'A road',
  water: 'Water',
  wood: 'A wood',
  camp: 'A camp',
  fight: 'A fight',
  danger: 'Danger',
  person: 'Somebody',
  bell: 'A bell',
  map: 'A map within',
}

/** The drawing in a pin. */
export function PinIcon({ name }: { name: PinIconName }): JSX.Element {
  return (
    <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  )
}
