import type { JSX } from 'preact'
import { LinkButton } from '../kit/button.tsx'
import { Empty } from '../kit/page.tsx'
import { paths } from './links.ts'

export function Lost(): JSX.Element {
  return (
    <Empty
      drawing="road"
      title="No page has this address"
      alone
      action={
        <LinkButton look="act" to={paths.campaigns}>
          Go to the campaigns
        </LinkButton>
      }
    >
      The link may be old, or a letter is missing in it.
    </Empty>
  )
}
