import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Location } from '../../api/contract.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Find } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { matches } from '../../kit/list.tsx'
import { Empty, Failed, Head, Waiting } from '../../kit/page.tsx'
import { Hidden } from '../../kit/secret.tsx'
import { discoveries } from '../../kit/words.ts'
import { useCampaign, usePages, useTitle } from '../../shell/context.ts'
import { place } from '../../shell/links.ts'

const textOf = (one: Location) => [one.name, one.kind, one.body, one.tags.join(' ')].join(' ')

/** The tree needs all places at once. */
export function Places(): JSX.Element {
  const { campaignId, campaign, mayShape } = useCampaign()
  const list = usePages('list_locations', { campaignId, limit: 200 }, { all: true })
  const [typed, setTyped] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  useTitle('Places', campaign.name)
  const action = mayShape && (
    <LinkButton look="act" icon="plus" to={place(campaignId, 'places', 'new')}>
      New place
    </LinkButton>
  )
  if (list.error && list.items.length === 0) return <Failed error={list.error} />
  if (list.waiting) return <Waiting />
  if (list.items.length === 0) {
    return (
      <>
        <Head title="Places" />
        <Empty drawing="road" title="The map is still white" action={action}>
          Begin with one place the party can stand in. What lies inside it comes later.
        </Empty>
      </>
    )
  }

  const known = new Set<number>(list.items.map((one) => one.id))
  const childrenOf = (id: number | null) =>
    list.items.filter((one) => (known.has(one.parentLocationId ?? -1) ? one.parentLocationId : null) === id)
  const fitting = typed.trim() ? list.items.filter((one) => matches(typed.trim(), textOf(one))) : null

  const branch = (id: number | null): JSX.Element[] =>
    childrenOf(id).map((one) => {
      const inside = childrenOf(one.id).length
      const open = !closed.has(one.id)
      const toggle = () => {
        const next = new Set(closed)
        if (open) next.add(one.id)
        else next.delete(one.id)
        setClosed(next)
      }
      return (
        <li key={one.id}>
          <div class="row-line">
            {inside > 0 ? (
              <button
                type="button"
                class="icon twist"
                aria-expanded={open}
                aria-label={`What lies in ${one.name}`}
                onClick={toggle}
              >
                <Icon name="right" size="s" />
              </button>
            ) : (
              <span class="twist-none" />
            )}
            <PlaceRow one={one} />
          </div>
          {inside > 0 && open && <ul class="branch">{branch(one.id)}</ul>}
        </li>
      )
    })

  return (
    <>
      <Head title="Places">{action}</Head>
      <div class="narrow">
        <Find value={typed} onValue={setTyped} placeholder="Name, kind, anything said of it" />
      </div>
      {fitting ? (
        <div class="tree">
          {fitting.map((one) => (
            <PlaceRow key={one.id} one={one} />
          ))}
          {fitting.length === 0 && <p class="soft list-end">Nothing here speaks of “{typed}”. Try a shorter word.</p>}
        </div>
      ) : (
        <ul class="tree">{branch(null)}</ul>
      )}
      {list.more && <Waiting word="Reading on" />}
    </>
  )
}

function PlaceRow({ one }: { one: Location }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  return (
    <Link href={place(campaignId, 'places', one.id)} class="row">
      <span class="grow">
        <strong>{one.name}</strong>
        {one.kind && <span class="line2">{one.kind}</span>}
      </span>
      {one.hidden ? <Hidden>Hidden</Hidden> : isDm && one.discovery === 'unknown' && <Hidden>Not found yet</Hidden>}
      {one.discovery !== 'unknown' && <span class="word faint desk">{discoveries[one.discovery]}</span>}
    </Link>
  )
}
