import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SettingName, SettingStates } from '../../../kernel/settings.ts'
import { Button } from '../../kit/button.tsx'
import { type Option, SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count } from '../../kit/format.ts'
import { Section } from '../../kit/page.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import { type Patched, type ServerSettings, useServer } from '../../shell/server.ts'
import './styles.ts'

type Changes = Readonly<Partial<Record<SettingName, boolean | number | string | null>>>

/** The settings of the server, and how to change them: what is chosen shows at once, and is taken back when it was refused. */
export function useServerSettings(onChanged: () => Promise<unknown>): Patched<ServerSettings> & {
  change(changes: Changes, said?: string): Promise<void>
  save(changes: Changes): Promise<void>
} {
  const { client, toasts } = useApp()
  const server = useServer<ServerSettings>('/settings')
  const save = async (changes: Changes) => {
    await client.send({ method: 'PATCH', path: '/settings', body: changes })
    await Promise.all([server.refresh(), onChanged()])
  }
  return {
    ...server,
    save,
    async change(changes, said) {
      server.patch((known) => ({ ...known, settings: { ...known.settings, ...applied(known.settings, changes) } }))
      try {
        await save(changes)
        if (said !== undefined) toasts.say(said)
      } catch (error) {
        toasts.fail(messageOf(error))
        await server.refresh()
      }
    },
  }
}

function applied(states: SettingStates, changes: Changes): Partial<SettingStates> {
  const entries = Object.entries(changes) as [SettingName, unknown][]
  return Object.fromEntries(
    entries.map(([name, value]) => [name, { ...states[name], value }]),
  ) as Partial<SettingStates>
}

/** `Every day`, `Every 12 hours`. */
export function rhythm(hours: number): string {
  if (hours === 24) return 'Every day'
  if (hours === 168) return 'Every week'
  return hours % 24 === 0
    ? `Every ${count(hours / 24, 'day')}`
    : hours === 1
      ? 'Every hour'
      : `Every ${count(hours, 'hour')}`
}

/** `14 are kept, for 30 days`. */
export function keeping(keepCount: number, keepDays: number): string {
  const many = keepCount === 0 ? 'All are kept' : keepCount === 1 ? 'One is kept' : `${keepCount} are kept`
  return keepDays === 0 ? many : `${many}, for ${count(keepDays, 'day')}`
}

const hours = [6, 12, 24, 48, 168]
const counts = [3, 7, 14, 30, 60, 0]
const days = [7, 14, 30, 90, 365, 0]

/** The numbers to choose from, with the present one among them. */
function choices(known: readonly number[], value: number, word: (value: number) => string): Option[] {
  const all = known.includes(value) ? known : [value, ...known]
  return all.map((each) => ({ value: String(each), word: word(each) }))
}

/** Backups that are made without being asked for: whether, how often, how many, and where. */
export function ScheduledBackups({ onChanged }: { onChanged: () => Promise<unknown> }): JSX.Element | null {
  const server = useServerSettings(onChanged)
  if (!server.data) return null
  const { settings } = server.data
  const { scheduledBackups: on, backupIntervalHours: each, backupKeepCount: many, backupKeepDays: long } = settings
  const change = (name: SettingName) => (value: string) => void server.change({ [name]: Number(value) })
  return (
    <Section title="By itself">
      <Switch
        label="Make backups by itself"
        hint={
          saidBy(on) ??
          'Without being asked, as long as Talekeeper runs. One that was missed, because the computer slept, is made up for.'
        }
        checked={on.value}
        disabled={on.source === 'environment'}
        onValue={(value) =>
          void server.change(
            { scheduledBackups: value },
            value ? 'From now on backups are made by themselves.' : 'From now on you make backups yourself.',
          )
        }
      />
      {on.value && (
        <div class="stack form scheduled">
          <SelectField
            label="How often"
            name="backupIntervalHours"
            hint={saidBy(each)}
            disabled={each.source === 'environment'}
            value={String(each.value)}
            onValue={change('backupIntervalHours')}
            options={choices(hours, each.value, rhythm)}
          />
          <div class="field-pair">
            <SelectField
              label="How many are kept"
              name="backupKeepCount"
              hint={saidBy(many)}
              disabled={many.source === 'environment'}
              value={String(many.value)}
              onValue={change('backupKeepCount')}
              options={choices(counts, many.value, (value) => (value === 0 ? 'All' : `The newest ${value}`))}
            />
            <SelectField
              label="For how long"
              name="backupKeepDays"
              hint={saidBy(long)}
              disabled={long.source === 'environment'}
              value={String(long.value)}
              onValue={change('backupKeepDays')}
              options={choices(days, long.value, (value) => (value === 0 ? 'For ever' : count(value, 'day')))}
            />
          </div>
        </div>
      )}
      <BackupFolder key={settings.backupDir.value} folder={settings.backupDir} save={server.save} />
    </Section>
  )
}

/** Why something cannot be chosen here: the environment wins over the app. */
function saidBy({ source, variable }: SettingStates[SettingName]): string | undefined {
  if (source !== 'environment') return undefined
  return `Said by ${variable} in the environment of the program, which wins over this page.`
}

function BackupFolder({
  folder,
  save,
}: {
  folder: SettingStates['backupDir']
  save: (changes: Changes) => Promise<void>
}): JSX.Element {
  const { toasts } = useApp()
  const submitting = useSubmit()
  const [value, setValue] = useState(folder.value)
  const choose = (backupDir: string | null) =>
    submitting.run(async () => {
      await save({ backupDir })
      toasts.say('Backups go there from now on. Those that are elsewhere stay where they are.')
    })
  const given = folder.source === 'environment'
  return (
    <Form operation={null} submitting={submitting} onSubmit={() => void choose(value.trim())}>
      <TextField
        label="Kept in this folder"
        name="backupDir"
        hint={
          saidBy(folder) ??
          'A folder on another disk, or one that is carried elsewhere by itself, survives this computer.'
        }
        disabled={given}
        required
        spellcheck={false}
        value={value}
        onValue={setValue}
      />
      <FormError error={submitting.error} />
      {!given && (value.trim() !== folder.value || folder.source === 'chosen') && (
        <div class="line">
          {value.trim() !== folder.value && (
            <Button type="submit" busy={submitting.busy}>
              Keep them there
            </Button>
          )}
          {folder.source === 'chosen' && (
            <Button variant="quiet" busy={submitting.busy} onClick={() => void choose(null)}>
              Back to the folder with the data
            </Button>
          )}
        </div>
      )}
    </Form>
  )
}
