import type { JSX } from 'preact'
import { Button, IconButton } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Switch } from '../../kit/field.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import type { GivenMonth } from './words.ts'

/** What a month has besides its name and its days: leap days, whether it stands between months, and its neighbours. */
export function MonthDialog({
  month,
  onMonth,
  onBefore,
  onRemove,
  onClose,
}: {
  month: GivenMonth
  onMonth: (month: GivenMonth) => void
  /** Puts a new month before it. */
  onBefore: () => void
  onRemove: (() => void) | undefined
  onClose: () => void
}): JSX.Element {
  const leap = month.leap ?? []
  return (
    <Dialog title={month.name || 'A month'} onClose={onClose}>
      <div class="stack">
        <Switch
          label="Days between months"
          hint="They belong to no month and to no week: feasts, days between years."
          checked={month.between ?? false}
          onValue={(between) => onMonth({ ...month, between })}
        />
        <section>
          <h3>Leap days</h3>
          {leap.length === 0 && <p class="soft small">It has as many days in every year.</p>}
          {leap.map((rule, index) => {
            const put = (part: Partial<typeof rule>) =>
              onMonth({ ...month, leap: leap.map((each, at) => (at === index ? { ...each, ...part } : each)) })
            return (
              <fieldset key={index} class="calendar-row leap">
                <legend class="visually-hidden">Leap days {index + 1}</legend>
                <NumberField
                  label="In every so many years"
                  min={1}
                  max={10_000}
                  required
                  value={rule.every}
                  onValue={(every) => put({ every: every ?? 1 })}
                />
                <NumberField
                  label="so many days more"
                  hint="Fewer with a minus."
                  min={-500}
                  max={500}
                  required
                  value={rule.days}
                  onValue={(days) => put({ days: days ?? 0 })}
                />
                <IconButton
                  icon="x"
                  label="No such leap days"
                  onClick={() => onMonth({ ...month, leap: leap.filter((_, at) => at !== index) })}
                />
              </fieldset>
            )
          })}
          {leap.length < 6 && (
            <Button
              variant="quiet"
              class="outdent"
              icon="plus"
              onClick={() => onMonth({ ...month, leap: [...leap, { every: 4, days: 1 }] })}
            >
              Leap days
            </Button>
          )}
        </section>
        <p class="line">
          <Button icon="plus" onClick={onBefore}>
            A month before it
          </Button>
          {onRemove && (
            <Button variant="danger-quiet" onClick={onRemove}>
              Leave it out
            </Button>
          )}
        </p>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
