import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Item } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { AreaField, Switch, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { NumberField, Stepper } from '../../kit/number-field.tsx'
import { Section } from '../../kit/page.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePages } from '../../shell/context.ts'

type Thing = Item<'list_inventory'>
interface Person {
  readonly id: number
  readonly name: string
}

/** What somebody carries, or what lies on the cart; each can be handed on, put on, or thrown away. */
export function Bag({
  title,
  characterId,
  people,
  mayChange,
}: {
  title: string
  /** Null for the cart. */
  characterId: number | null
  people: readonly Person[]
  /** Whoever plays, where nothing is said. */
  mayChange?: boolean
}): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const whose = characterId === null ? { party: true } : { characterId }
  const list = usePages('list_inventory', { campaignId, ...whose, limit: 200 })
  const [open, setOpen] = useState<Thing | null>(null)
  const [adding, setAdding] = useState(false)
  const may = mayChange ?? mayWrite
  return (
    <Section title={title}>
      {list.items.length === 0 && !list.waiting && <p class="soft">Nothing yet.</p>}
      <div class="rows">
        {list.items.map((thing) => (
          <button key={thing.id} type="button" class="thing" disabled={!may} onClick={() => setOpen(thing)}>
            <span>
              <strong>
                {thing.name} {thing.quantity > 1 && <span class="n">× {thing.quantity}</span>}
              </strong>
              <span class="line2">
                {[
                  thing.equipped && (thing.slot ? `Worn: ${thing.slot}` : 'In use'),
                  thing.attuned && 'Attuned',
                  thing.value,
                  thing.excerpt,
                ]
                  .filter(Boolean)
                  .join('. ')}
                {thing.hidden && <HiddenBadge>They have not found it yet</HiddenBadge>}
              </span>
            </span>
          </button>
        ))}
      </div>
      {list.more && (
        <Button variant="quiet" onClick={list.loadMore}>
          More
        </Button>
      )}
      {may && (
        <Button variant="quiet" icon="plus" onClick={() => setAdding(true)}>
          {characterId === null ? 'Put something on the cart' : 'Put something in'}
        </Button>
      )}
      {adding && <NewThing characterId={characterId} onClose={() => setAdding(false)} />}
      {open && (
        <ThingDialog
          thing={list.items.find(({ id }) => id === open.id) ?? open}
          people={people}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  )
}

function NewThing({ characterId, onClose }: { characterId: number | null; onClose: () => void }): JSX.Element {
  const { campaignId, isDm } = useCampaign()
  const act = useAction()
  const [name, setName] = useState('')
  const [quantity, setQuantity] = useState<number | null>(1)
  const [value, setValue] = useState('')
  const [notes, setNotes] = useState('')
  const [hidden, setHidden] = useState(false)
  const add = async () => {
    const written = await act('create_inventory_item', {
      campaignId,
      name,
      quantity: quantity ?? 1,
      ...(characterId === null ? {} : { characterId }),
      ...(value.trim() === '' ? {} : { value }),
      ...(notes.trim() === '' ? {} : { notes }),
      ...(hidden ? { hidden } : {}),
    })
    if (written) onClose()
    return written !== null
  }
  return (
    <Dialog title="Something new" onClose={onClose}>
      <Form operation="create_inventory_item" class="" about={characterId ?? ''} onSubmit={add}>
        <TextField label="What it is" name="name" required value={name} onValue={setName} />
        <Stepper label="How many" value={quantity} onValue={setQuantity} min={1} max={1_000_000} />
        <TextField label="What it is worth" name="value" placeholder="15 gp" value={value} onValue={setValue} />
        <AreaField label="What is known of it" name="notes" value={notes} onValue={setNotes} />
        {isDm && <Switch label="They have not found it yet" checked={hidden} onValue={setHidden} />}
        <Button type="submit" variant="primary" disabled={name.trim() === ''}>
          Put it there
        </Button>
      </Form>
    </Dialog>
  )
}

function ThingDialog({
  thing,
  people,
  onClose,
}: {
  thing: Thing
  people: readonly Person[]
  onClose: () => void
}): JSX.Element {
  const { isDm } = useCampaign()
  const act = useAction()
  const [quantity, setQuantity] = useState<number | null>(1)
  const itemId = thing.id
  const others = people.filter(({ id }) => id !== thing.characterId)
  const give = async (toCharacterId: number | null, name: string) => {
    const to = toCharacterId === null ? {} : { toCharacterId }
    const input = { itemId, quantity: Math.min(quantity ?? 1, thing.quantity), ...to }
    if (await act('transfer_inventory_item', input, { message: `${thing.name}: with ${name} now.` })) onClose()
  }
  const use = (equipped: boolean, attuned: boolean) => void act('set_item_equipped', { itemId, equipped, attuned })
  return (
    <Dialog title={thing.name} onClose={onClose}>
      {thing.notes && <p>{thing.notes}</p>}
      {thing.excerpt && !thing.notes && <p class="soft">{thing.excerpt}</p>}
      {thing.quantity > 1 && (
        <NumberField
          label={`How many of ${thing.quantity}`}
          value={quantity}
          onValue={setQuantity}
          min={1}
          max={thing.quantity}
        />
      )}
      <fieldset class="hands">
        <legend class="small soft">Give it to</legend>
        {others.map((one) => (
          <button key={one.id} type="button" onClick={() => void give(one.id, one.name)}>
            {one.name}
          </button>
        ))}
        {thing.characterId !== null && (
          <button type="button" onClick={() => void give(null, 'the party')}>
            The cart
          </button>
        )}
      </fieldset>
      {thing.characterId !== null && (
        <>
          <Switch label="In use" checked={thing.equipped} onValue={(on) => use(on, thing.attuned)} />
          <Switch label="Attuned" checked={thing.attuned} onValue={(on) => use(thing.equipped, on)} />
        </>
      )}
      <div class="line">
        {isDm && thing.hidden && (
          <Button
            icon="eye"
            onClick={async () => {
              if (await act('update_inventory_item', { itemId, hidden: false }, { message: 'They find it.' })) onClose()
            }}
          >
            They find it
          </Button>
        )}
        <Button
          variant="danger-quiet"
          icon="trash"
          onClick={async () => {
            if (await act('delete_inventory_item', { itemId }, { message: `${thing.name} is gone.` })) onClose()
          }}
        >
          Throw it away
        </Button>
      </div>
    </Dialog>
  )
}
