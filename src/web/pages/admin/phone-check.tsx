import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { Copy } from '../../kit/copy.tsx'
import { span } from '../../kit/format.ts'
import { QrCode } from '../../kit/qr-code.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import type { Network, NetworkState, PhoneCheck } from '../../shell/network.ts'
import './styles.ts'

/** Nobody has knocked for this long: most often a firewall keeps phones out. */
const patienceMs = 60_000
const lookMs = 2000

/** Can a phone come in? A word on both screens says so. */
export function PhoneCheckSection({ network, state }: { network: Network; state: NetworkState }): JSX.Element {
  const { client, toasts } = useApp()
  const { check } = state
  const address = state.addresses[0]?.url
  const begin = async () => {
    try {
      await client.send<PhoneCheck>({ method: 'POST', path: '/network/check', body: {} })
      await network.refresh()
    } catch (error) {
      toasts.fail(messageOf(error))
    }
  }
  const waits = check !== null
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => void network.refresh(), lookMs)
    return () => clearInterval(timer)
  }, [waits, network.refresh])
  // By this device's own watch: the server's may go wrong by more than a minute.
  const [late, setLate] = useState(false)
  const began = check?.startedAt
  useEffect(() => {
    setLate(false)
    if (began === undefined) return
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [began])
  return (
    <section class="section no-print">
      <div class="section-head">
        <h2>Can your phone come in?</h2>
      </div>
      {check && address ? (
        <div class="phone-check">
          <QrCode text={`${address}/hello`} label={`Code for ${address}/hello`} />
          <div>
            <p>Point it at this square. The word you read there should be</p>
            <p class="check-word">{check.word}</p>
            <p class="line" aria-live="polite">
              {check.knock ? (
                <>
                  <span class="word ok">A phone came in {span(check.knock.at)}</span>
                  <span class="small soft">{check.knock.address}</span>
                </>
              ) : (
                <span class="word brass">Listening</span>
              )}
            </p>
          </div>
        </div>
      ) : (
        <p class="line">
          <span class="grow soft">A minute now saves the first ten of the evening.</span>
          <Button onClick={() => void begin()}>Try it</Button>
        </p>
      )}
      {late && check?.knock === null && <FirewallHelp state={state} onAgain={() => void begin()} />}
    </section>
  )
}

type System = 'windows' | 'mac' | 'linux'
const systems: readonly { readonly value: System; readonly word: string }[] = [
  { value: 'windows', word: 'On Windows' },
  { value: 'mac', word: 'On a Mac' },
  { value: 'linux', word: 'On Linux' },
]

/** What keeps phones out, and the exact lines that let them in. */
function FirewallHelp({ state, onAgain }: { state: NetworkState; onAgain: () => void }): JSX.Element {
  const [system, setSystem] = useState<System>(
    state.platform === 'win32' ? 'windows' : state.platform === 'darwin' ? 'mac' : 'linux',
  )
  return (
    <div class="firewall" role="status">
      <h3>Nobody has come for a minute</h3>
      <p class="soft">
        Is the phone on the same Wi-Fi, and not on its guest network? Then it is most often this computer’s own
        firewall.
      </p>
      <ToggleGroup label="Which system" variant="chips" options={systems} value={system} onValue={setSystem} />
      {firewallSteps(system, state)}
      <p class="line">
        <Button onClick={onAgain}>Listen again</Button>
      </p>
    </div>
  )
}

function firewallSteps(system: System, { executable, addresses, localUrl }: NetworkState): JSX.Element {
  const port = new URL(addresses[0]?.url ?? localUrl ?? location.origin).port || '80'
  switch (system) {
    case 'windows':
      return (
        <>
          <ol class="stepl">
            <li>
              <b>Windows Security</b>, Firewall, <b>Allow an app</b>
            </li>
            <li>
              Find Talekeeper and tick <b>Private</b>. Leave Public empty
            </li>
          </ol>
          <p class="soft">Or, in a terminal that runs as administrator:</p>
          <Copy
            text={`netsh advfirewall firewall add rule name="Talekeeper" dir=in action=allow program="${executable}" protocol=TCP localport=${port} profile=private`}
          />
        </>
      )
    case 'mac':
      return (
        <ol class="stepl">
          <li>
            <b>System Settings</b>, Network, <b>Firewall</b>, Options
          </li>
          <li>
            Add Talekeeper and choose <b>Allow incoming connections</b>
          </li>
          <li>
            Under Privacy and Security, <b>Local Network</b>, let Talekeeper in too
          </li>
        </ol>
      )
    case 'linux':
      return (
        <>
          <p class="soft">With ufw (Ubuntu, Mint):</p>
          <Copy text={`sudo ufw allow from 192.168.0.0/16 to any port ${port} proto tcp`} />
          <p class="soft">With firewalld (Fedora):</p>
          <Copy text={`sudo firewall-cmd --permanent --add-port=${port}/tcp && sudo firewall-cmd --reload`} />
        </>
      )
  }
}
