import type { JSX } from 'preact'
export function RelationsPage(): JSX.Element {
  return <p />
}
