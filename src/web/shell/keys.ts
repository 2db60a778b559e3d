import { effect, type Signal, signal } from '@preact/signals'

const PLACE = 'talekeeper-single-keys'

/** Whether single keys do things on a page (WCAG 2.1.4 asks that they can be switched off). This browser remembers it. */
export function createKeys(store: Pick<Storage, 'getItem' | 'setItem'>): Signal<boolean> {
  const on = signal(store.getItem(PLACE) !== 'off')
  effect(() => store.setItem(PLACE, on.value ? 'on' : 'off'))
  return on
}
