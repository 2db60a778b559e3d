import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { MoreLink } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Loading, Section } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr-code.tsx'
import { useMe } from '../../shell/context.ts'
import { LanSwitch } from '../../shell/lan-switch.tsx'
import { paths } from '../../shell/links.ts'
import { type Addresses, isThisComputer, useNetwork } from '../../shell/network.ts'
import { useServer } from '../../shell/server.ts'

/** How the others come in, for who keeps the server. */
export function WaysIn(): JSX.Element {
  const network = useNetwork()
  const first = network.data?.addresses[0]
  return (
    <Section title="How they come in" end={<MoreLink to={paths.appliance}>Addresses and squares</MoreLink>}>
      <LanSwitch network={network} />
      {first && (
        <p class="soft">
          By <strong>{first.url.replace(/^https?:\/\//, '')}</strong>, on the same Wi-Fi.
        </p>
      )}
    </Section>
  )
}

/** The link of an invitation by an address that works on the devices of others, and the square for it. */
export function InviteLink({ path }: { path: string }): JSX.Element {
  if (!isThisComputer()) return <LinkAndSquare link={`${location.origin}${path}`} />
  return useMe()?.admin ? <KeepersLink path={path} /> : <MembersLink path={path} />
}

function KeepersLink({ path }: { path: string }): JSX.Element {
  const network = useNetwork()
  if (!network.data) return <Loading />
  return (
    <>
      <ChosenLink path={path} known={network.data} />
      {network.data.addresses.length === 0 && (
        <>
          <p class="soft">No phone can open this link yet: only this computer may come in.</p>
          <LanSwitch network={network} />
        </>
      )}
    </>
  )
}

function MembersLink({ path }: { path: string }): JSX.Element {
  const known = useServer<Addresses>('/network/addresses').data
  if (!known) return <Loading />
  return (
    <>
      <ChosenLink path={path} known={known} />
      {known.addresses.length === 0 && (
        <p class="soft">
          This link opens on this computer only. Ask whoever keeps the server to let phones on this network in.
        </p>
      )}
    </>
  )
}

function ChosenLink({ path, known }: { path: string; known: Addresses }): JSX.Element {
  const { addresses } = known
  const [chosen, setChosen] = useState<string | null>(null)
  const address = addresses.find(({ url }) => url === chosen) ?? addresses[0]
  if (address === undefined) return <Copy text={`${location.origin}${path}`} label="Copy the link" />
  return (
    <>
      {addresses.length > 1 && (
        <SelectField
          label="By which address"
          value={address.url}
          onValue={setChosen}
          options={addresses.map(({ url }) => ({ value: url, word: url.replace(/^https?:\/\//, '') }))}
        />
      )}
      <LinkAndSquare link={`${address.url}${path}`} />
    </>
  )
}

function LinkAndSquare({ link }: { link: string }): JSX.Element {
  return (
    <>
      <Copy text={link} label="Copy the link" />
      <QrCode text={link} label="Code for the invitation" />
      <p class="small soft">Send the link, or let them point a phone at the square.</p>
    </>
  )
}
