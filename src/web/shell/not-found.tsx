import type { JSX } from 'preact'
import { LinkButton } from '../kit/button.tsx'
import { EmptyState } from '../kit/page.tsx'
import { paths } from './links.ts'

export function NotFound(): JSX.Element {
  return (
    <EmptyState
      drawing="road"
      title="No page has this address"
      alone
      action={
        <LinkButton variant="primary" to={paths.campaigns}>
          Go to the campaigns
        </LinkButton>
      }
    >
      The link may be old, or a letter is missing in it.
    </EmptyState>
  )
}
