import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { useAction } from '../../shell/actions.ts'
import { useApp, useCampaign, useQuery } from '../../shell/context.ts'
import './styles.ts'

const onlyHere = /^(localhost|127\.|\[::1\])/

/** One's own address of the nights for a calendar app, and a new one in its place. */
export function CalendarFeed(): JSX.Element | null {
  const { campaignId } = useCampaign()
  const { cache, confirmations } = useApp()
  const act = useAction()
  const feed = useQuery('get_calendar_feed', { campaignId })
  if (!feed.data) return null
  const address = `${location.origin}${feed.data.path}`
  const renew = async () => {
    const sure = await confirmations.ask({
      title: 'A new address for your calendar?',
      text: 'The old one is dead at once. Calendars that read it have to be given the new one.',
      yes: 'Make a new one',
    })
    if (!sure) return
    const written = await act('rotate_calendar_feed', { campaignId }, { message: 'The old address is dead.' })
    if (written) void cache.one('get_calendar_feed', { campaignId }).fetch()
  }
  return (
    <section class="calendar-feed">
      <h2 class="label">In your own calendar</h2>
      <p class="small soft">Give your phone this address once. Nights come and move by themselves.</p>
      <Copy text={address} label="Copy" />
      <p class="small">
        <a href={address.replace(/^https?:/, 'webcal:')}>Open it in a calendar here</a>
      </p>
      <p class="small soft">
        {onlyHere.test(location.host)
          ? 'This address is of this computer alone. Open this page by the address that phones use, and copy it there.'
          : 'It is yours alone, and works where this house can be reached.'}
      </p>
      <Button variant="quiet" class="outdent" onClick={() => void renew()}>
        Make a new one
      </Button>
    </section>
  )
}
