import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { count } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { QrCode } from '../../kit/qr-code.tsx'
import type { Address, ClosedNetwork, NetworkState } from '../../shell/network.ts'
import './styles.ts'

const bare = (url: string): string => url.replace(/^https?:\/\//, '')

/** By which addresses phones come in: one square to point a camera at, and lines to type. */
export function Addresses({ state }: { state: NetworkState }): JSX.Element {
  const { addresses, nameUrl, nameProblem } = state
  const [chosen, setChosen] = useState<string | null>(null)
  const [large, setLarge] = useState(false)
  const shown = addresses.find(({ url }) => url === chosen) ?? addresses[0]
  if (shown === undefined) return <NoAddress state={state} />
  return (
    <section class="addresses">
      <QrCode text={shown.url} label={`Code for ${shown.url}`} />
      <div>
        <p class="line">
          <span class="word ok">Open to phones on this network</span>
        </p>
        <p class="big-address">{bare(shown.url)}</p>
        <p class="soft">Point a phone at the square, or type the line. Same Wi-Fi, nothing to install.</p>
        <div class="rows">
          {addresses.map((address) => (
            <div key={address.url} class="row">
              <span class="grow">
                <Copy text={address.url} />
                <span class="secondary">{networkWord(address)}</span>
              </span>
              {addresses.length > 1 && (
                <Button variant="quiet" disabled={address === shown} onClick={() => setChosen(address.url)}>
                  Show its square
                </Button>
              )}
            </div>
          ))}
          {nameUrl && (
            <div class="row">
              <span class="grow">
                <Copy text={nameUrl} />
                <span class="secondary">Easier to say aloud. Some Android phones do not know it</span>
              </span>
            </div>
          )}
        </div>
        {nameProblem && <p class="small soft">{nameProblem}</p>}
        <LeftOut closed={state.closed} />
        <p class="line no-print">
          <Button variant="primary" onClick={() => setLarge(true)}>
            Make the square large
          </Button>
          <Button onClick={() => print()}>Print it for the table</Button>
        </p>
      </div>
      {large && (
        <Dialog title={bare(shown.url)} class="dialog qr-dialog" onClose={() => setLarge(false)}>
          <QrCode text={shown.url} label={`Code for ${shown.url}`} />
          <div class="actions">
            <Button variant="primary" onClick={() => setLarge(false)}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function NoAddress({ state }: { state: NetworkState }): JSX.Element {
  return (
    <section>
      <p class="line">
        <span class="word">{state.lan ? 'No network to be seen' : 'Only this computer may come in'}</span>
      </p>
      <p class="soft">
        {state.lan
          ? 'This computer is on no network that phones could share. Connect it to your Wi-Fi: it is opened there by itself.'
          : 'There is no square to show. Open the door when the others arrive; it takes a second and needs no restart.'}
      </p>
      {state.lan && <LeftOut closed={state.closed} />}
    </section>
  )
}

const why: Readonly<Record<ClosedNetwork['kind'], string>> = {
  lan: 'Nothing listens there yet',
  tunnel: 'It goes through a tunnel',
  virtual: 'It belongs to another program',
  public: 'Anybody on the internet could use it. HOST opens it all the same',
  unconfigured: 'A cable without a network behind it',
}

/** Networks on which nobody comes in: what went wrong at once, what was left out on purpose when it is asked for. */
function LeftOut({ closed }: { closed: readonly ClosedNetwork[] }): JSX.Element {
  const failed = closed.filter(({ problem }) => problem !== null)
  const left = closed.filter(({ problem }) => problem === null)
  return (
    <>
      {failed.map(({ address, problem }) => (
        <p key={address} class="banner bad alert">
          <Icon name="warn" />
          <span class="grow">{problem}</span>
        </p>
      ))}
      {left.length > 0 && (
        <details class="disclosure no-print">
          <summary>
            <Icon name="right" size="s" />
            {left.length === 1 ? 'One more way in is left out' : `${count(left.length, 'more way')} in are left out`}
          </summary>
          <div class="rows">
            {left.map(({ interfaceName, address, kind }) => (
              <div key={`${interfaceName} ${address}`} class="row">
                <span class="grow">
                  {address}
                  <span class="secondary">
                    {interfaceName}. {why[kind]}
                  </span>
                </span>
              </div>
            ))}
          </div>
        </details>
      )}
    </>
  )
}

function networkWord({ interfaceName }: Address): string {
  if (interfaceName === null) return 'The address that was configured'
  if (/^wl|wi-?fi|wlan/i.test(interfaceName)) return `Wi-Fi (${interfaceName})`
  return /^e(?:th|n[opsx])|ethernet/i.test(interfaceName) ? `Cable (${interfaceName})` : interfaceName
}
