import type { JSX } from 'preact'
import type { Disposition } from '../../api/contract.ts'
import { dispositions } from '../../kit/labels.ts'

const looks: Readonly<Record<Disposition, string>> = {
  hostile: 'bad',
  unfriendly: 'brass',
  neutral: 'faint',
  friendly: 'ok',
  allied: 'ok',
}

export function DispositionLabel({ value }: { value: Disposition }): JSX.Element {
  return <span class={`word ${looks[value]}`}>{dispositions[value]}</span>
}

const order = Object.keys(dispositions) as Disposition[]

/** The word and, for the eye, how far along it lies. */
export function DispositionMeter({ value }: { value: Disposition }): JSX.Element {
  return (
    <div class="meter" aria-hidden="true">
      {order.map((step, index) => (
        <i key={step} class={index <= order.indexOf(value) ? 'on' : undefined} />
      ))}
    </div>
  )
}
