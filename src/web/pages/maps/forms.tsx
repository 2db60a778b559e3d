import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Input, MapPin, MapToken } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { EnumField, SelectField, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { NumberField } from '../../kit/number-field.tsx'
import { ReferenceField, useAllOf, useMembers, useNpcs } from '../../kit/references.tsx'
import { useSave, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'
import { pinIcons } from './pin-icon.tsx'
import type { Point } from './view.ts'

const leadsTo = {
  none: 'Nothing, it is a pin of its own',
  location: 'A place',
  npc: 'Somebody',
  quest: 'A quest',
  faction: 'A faction',
  map: 'A map within this one',
} as const
type LeadsTo = keyof typeof leadsTo
type Thing = Exclude<LeadsTo, 'none'>

const isThing = (type: string | null): type is Thing => type !== null && type !== 'none' && type in leadsTo

interface FormProps {
  readonly mapId: number
  /** Where a new one stands. */
  readonly at: Point
  readonly onDone: (id: number | null) => void
  readonly onClose: () => void
}

/** A new pin, or one that is there. */
export function PinForm({ mapId, at, pin, onDone, onClose }: FormProps & { pin: MapPin | null }): JSX.Element {
  const { isDm } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const keep = useSave()
  const submitting = useSubmit()
  const [label, setLabel] = useState(pin?.label ?? '')
  const [type, setType] = useState<LeadsTo>(isThing(pin?.entityType ?? null) ? (pin?.entityType as Thing) : 'none')
  const [thingId, setThing] = useState<number | null>(pin?.entityId ?? null)
  const [icon, setIcon] = useState(pin?.icon ?? 'spot')
  const [hidden, setHidden] = useState(pin?.hidden ?? false)
  const save = () =>
    submitting.run(async () => {
      const link = type === 'none' || thingId === null ? null : { entityType: type, entityId: thingId }
      const name = label.trim()
      const common = { icon, ...(isDm ? { hidden } : {}) }
      if (pin) {
        const to = link ?? { entityType: null, entityId: null }
        const { id, revision } = pin
        await keep('update_map_pin', {
          ...{ pinId: id, expectedRevision: revision, ...to, ...common },
          label: name === '' ? null : name,
        })
        onDone(id)
        return
      }
      const input: Input<'create_map_pin'> = {
        mapId,
        ...at,
        ...common,
        ...link,
        ...(name === '' ? {} : { label: name }),
      }
      const written = await write('create_map_pin', input)
      toasts.say(written.kind === 'done' ? 'The pin is in.' : 'Sent to the DM as a proposal.')
      onDone(written.kind === 'done' ? written.value.id : null)
    })
  return (
    <Form operation="create_map_pin" submitting={submitting} onSubmit={() => void save()} onCancel={onClose}>
      <SelectField
        label="What is there?"
        value={type}
        onValue={(next) => {
          setType(next)
          setThing(null)
        }}
        options={(Object.keys(leadsTo) as LeadsTo[]).map((value) => ({ value, word: leadsTo[value] }))}
      />
      {type !== 'none' && <ThingField key={type} type={type} without={mapId} value={thingId} onValue={setThing} />}
      <TextField
        label="Words on it"
        name="label"
        required={type === 'none' || thingId === null}
        maxLength={120}
        placeholder={type === 'none' ? 'The weir' : undefined}
        hint={type === 'none' ? undefined : 'Leave it empty, and it bears the name of what is there.'}
        value={label}
        onValue={setLabel}
      />
      <EnumField label="Its drawing" words={pinIcons} value={icon} onValue={setIcon} />
      {isDm && (
        <Switch
          label="Hidden from players"
          hint="What players do not know of, or what lies under fog, they do not see in any case."
          checked={hidden}
          onValue={setHidden}
        />
      )}
      <FormError error={submitting.error} />
      <p class="line">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" class="end" busy={submitting.busy}>
          {pin ? 'Save' : isDm ? 'Put it in' : 'Propose it'}
        </Button>
      </p>
    </Form>
  )
}

function ThingField({
  type,
  without,
  value,
  onValue,
}: {
  type: Thing
  /** The map itself. */
  without: number
  value: number | null
  onValue: (id: number | null) => void
}): JSX.Element {
  const rows = useAllOf(type)
  const options = rows
    .map((row) => ({ id: row.id as number, word: 'name' in row ? row.name : row.title }))
    .filter(({ id }) => type !== 'map' || id !== without)
  return (
    <ReferenceField label="Which" name="entityId" none="Choose" value={value} onValue={onValue} options={options} />
  )
}

/** A new token, or one that is there. Only for the DM. */
export function TokenForm({ mapId, at, token, onDone, onClose }: FormProps & { token: MapToken | null }): JSX.Element {
  const keep = useSave()
  const submitting = useSubmit()
  const npcs = useNpcs()
  const members = useMembers().filter(({ role }) => role !== 'viewer')
  const [label, setLabel] = useState(token?.label ?? '')
  const [npcId, setNpc] = useState<number | null>(token?.npcId ?? null)
  const [playerUserId, setPlayer] = useState<number | null>(token?.playerUserId ?? null)
  const [size, setSize] = useState<number | null>(token?.size ?? 1)
  const [hidden, setHidden] = useState(token?.hidden ?? false)
  const save = () =>
    submitting.run(async () => {
      const name = label.trim() === '' ? null : label.trim()
      const values = { label: name, npcId, playerUserId, size: size ?? 1, hidden }
      const { id } = await keep('set_map_token', {
        ...{ mapId, ...(token ? { tokenId: token.id, x: token.x, y: token.y } : at) },
        ...(token ? values : Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))),
      }).then((written) => (written.kind === 'done' ? written.value : { id: null }))
      onDone(id)
    })
  return (
    <Form operation="set_map_token" submitting={submitting} onSubmit={() => void save()} onCancel={onClose}>
      <TextField
        label="Name"
        name="label"
        required={npcId === null}
        maxLength={120}
        placeholder="Asha, or The second hound"
        value={label}
        onValue={setLabel}
      />
      <ReferenceField
        label="Somebody of the tale"
        name="npcId"
        none="Nobody you have written down"
        value={npcId}
        onValue={setNpc}
        options={npcs.map(({ id, name }) => ({ id, word: name }))}
      />
      <ReferenceField
        label="Who may move it"
        name="playerUserId"
        none="Only you"
        value={playerUserId}
        onValue={setPlayer}
        options={members.map(({ userId, username }) => ({ id: userId, word: username }))}
      />
      <NumberField label="Squares across" name="size" value={size} onValue={setSize} min={0.25} max={20} decimals={2} />
      <Switch label="Hidden from players" checked={hidden} onValue={setHidden} />
      <FormError error={submitting.error} />
      <p class="line">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" class="end" busy={submitting.busy}>
          {token ? 'Save' : 'Put it on the map'}
        </Button>
      </p>
    </Form>
  )
}
