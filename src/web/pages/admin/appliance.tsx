import type { JSX } from 'preact'
import { Button, LinkButton } from '../../kit/button.tsx'
import { bytes, span } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { LoadError, Loading, PageHeader, Section } from '../../kit/page.tsx'
import { useApp, usePageTitle } from '../../shell/context.ts'
import { LanSwitch } from '../../shell/lan-switch.tsx'
import { paths } from '../../shell/links.ts'
import { useNetwork } from '../../shell/network.ts'
import { type BackupStatus, useServer } from '../../shell/server.ts'
import { Addresses } from './addresses.tsx'
import { useBackUp } from './backup-summary.tsx'
import { ComputerRows } from './computer-rows.tsx'
import { PhoneCheckSection } from './phone-check.tsx'

/** The computer that all this runs on: how phones come in, and what looks after it. */
export function Appliance(): JSX.Element {
  const network = useNetwork()
  const state = network.data
  usePageTitle('This server')
  if (!state) {
    return (
      <>
        <PageHeader title="This server" />
        {network.error ? <LoadError error={network.error} retry={() => void network.refresh()} /> : <Loading />}
      </>
    )
  }
  return (
    <>
      <PageHeader title="This server" />
      <Addresses state={state} />
      {state.addresses.length > 0 && <PhoneCheckSection network={network} state={state} />}
      <Section title="The house rules" class="no-print">
        <div class="rows house">
          <div class="row">
            <Icon name="home" />
            <div class="grow">
              <LanSwitch network={network} />
            </div>
          </div>
          <ComputerRows />
          <BackupRow />
          <div class="row">
            <Icon name="plug" />
            <span class="grow">
              <strong>Assistants</strong>
              <span class="secondary">Claude, Cursor and others read and write here, as far as you let them</span>
            </span>
            <LinkButton to={paths.connect}>Connect an AI</LinkButton>
          </div>
          <div class="row">
            <Icon name="quill" />
            <span class="grow">
              <strong>AI in this house</strong>
              <span class="secondary">
                Who thinks when the scribe drafts or the seat speaks; nobody, unless you choose
              </span>
            </span>
            <LinkButton to={paths.ai}>Choose</LinkButton>
          </div>
          <div class="row">
            <Icon name="people" />
            <span class="grow">
              <strong>Accounts</strong>
              <span class="secondary">Everybody who can sign in here, and what happened on this server</span>
            </span>
            <LinkButton to={paths.users}>Accounts</LinkButton>
            <LinkButton variant="quiet" to={paths.apps}>
              Apps and log
            </LinkButton>
          </div>
          <Version />
        </div>
      </Section>
    </>
  )
}

function BackupRow(): JSX.Element {
  const status = useServer<BackupStatus>('/backup/status')
  const backUp = useBackUp(status.refresh)
  const cadence = status.data?.backup.cadence
  const archive = cadence?.lastArchive
  return (
    <div class="row">
      <Icon name="disk" />
      <span class="grow">
        <strong>
          {cadence?.lastSuccessAt ? `Kept safe ${span(cadence.lastSuccessAt)}` : 'This server has kept no backup yet'}
        </strong>
        <span class="secondary">
          {archive ? `${bytes(archive.bytes)}. ` : ''}
          {cadence?.nextRunAt ? `The next one is made by itself ${span(cadence.nextRunAt)}` : 'Made by hand only'}
        </span>
      </span>
      <Button busy={backUp.busy} onClick={backUp.run}>
        Back up now
      </Button>
      <LinkButton variant="quiet" to={paths.backups}>
        Backups
      </LinkButton>
    </div>
  )
}

function Version(): JSX.Element {
  const { session } = useApp()
  return (
    <div class="row">
      <Icon name="book" />
      <span class="grow">
        <strong>Talekeeper {session.status.value?.version}</strong>
        <span class="secondary">
          It never looks for a newer one by itself. A file for somebody who helps you holds no words of yours, no names
          and no keys
        </span>
      </span>
      <a class="btn" href="/api/v1/diagnostics" download>
        <Icon name="get" />
        That file
      </a>
    </div>
  )
}
