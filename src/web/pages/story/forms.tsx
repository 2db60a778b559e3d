import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { BeatDetail, Output, StoryGraph, Way } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { AreaField, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { locationOptions, ReferenceField, useAllOf, useLocations, useQuests } from '../../kit/references.tsx'
import { useSave, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'

// What is written of a story, in the leaflet beside it. Each form closes by itself once it is kept.

const orNull = (text: string): string | null => text.trim() || null

/** A form that opens beside what is there already begins with its first field; `autofocus` counts once for a document. */
function BeginHere(): JSX.Element {
  const self = useRef<HTMLSpanElement>(null)
  useEffect(() => self.current?.closest('form')?.querySelector('input')?.focus(), [])
  return <span ref={self} hidden />
}

function FormFoot({ submitting, onClose }: { submitting: ReturnType<typeof useSubmit>; onClose: () => void }) {
  return (
    <>
      <BeginHere />
      <FormError error={submitting.error} />
      <div class="line">
        <Button variant="primary" type="submit" icon="check" busy={submitting.busy}>
          Keep it
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </>
  )
}

/** A beat: a new one (`beat` null, in `arcId`; where there is no arc yet, in a new one), or one there is. */
export function BeatForm({
  graph,
  beat,
  arcId,
  onDone,
  onClose,
}: {
  graph: StoryGraph
  beat: BeatDetail | null
  arcId: number | null
  onDone: (beatId: number) => void
  onClose: () => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const keep = useSave()
  const submitting = useSubmit()
  const [quests, places, sessions] = [useQuests(), useLocations(), useAllOf('session')]
  const [values, setValues] = useState({
    title: beat?.title ?? '',
    body: beat?.body ?? '',
    dmSecret: beat?.dmSecret ?? '',
    arcId: beat?.arcId ?? arcId,
    arcTitle: '',
    questId: beat?.questId ?? null,
    locationId: beat?.locationId ?? null,
    sessionId: beat?.sessionId ?? null,
  })
  const set = (change: Partial<typeof values>) => setValues((now) => ({ ...now, ...change }))

  const save = () =>
    submitting.run(async () => {
      const written = {
        title: values.title.trim(),
        body: orNull(values.body),
        dmSecret: orNull(values.dmSecret),
        questId: values.questId,
        locationId: values.locationId,
        sessionId: values.sessionId,
      }
      if (beat) {
        await keep('update_beat', { beatId: beat.id, expectedRevision: beat.revision, ...written })
        if (values.arcId !== null && values.arcId !== beat.arcId) {
          const last = graph.beats.findLast((one) => one.arcId === values.arcId)
          await write('move_beat', {
            beatId: beat.id,
            arcId: values.arcId,
            ...(last ? { afterBeatId: last.id } : {}),
          })
        }
        onDone(beat.id)
        return
      }
      const arc =
        values.arcId ??
        (await made(write('create_arc', { campaignId, title: values.arcTitle.trim() || 'The tale' }))).id
      // If the beat is refused, the next try goes into the arc that is there now.
      set({ arcId: arc })
      const given = Object.entries(written).filter(([, value]) => value !== null)
      const fresh = await made(write('create_beat', { arcId: arc, ...Object.fromEntries(given), title: written.title }))
      onDone(fresh.id)
    })

  return (
    <Form
      operation="create_beat"
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={onClose}
      class="stack story-form"
    >
      <TextField
        label="What may happen"
        name="title"
        required
        maxLength={120}
        value={values.title}
        onValue={(title) => set({ title })}
      />
      <ReferenceField
        label="Arc"
        name="arcId"
        none="A new one"
        value={values.arcId}
        onValue={(id) => set({ arcId: id ?? (beat ? beat.arcId : null) })}
        options={graph.arcs.map(({ id, title }) => ({ id, word: title }))}
      />
      {values.arcId === null && (
        <TextField
          label="What the new arc is called"
          maxLength={120}
          value={values.arcTitle}
          onValue={(arcTitle) => set({ arcTitle })}
        />
      )}
      <AreaField label="How it begins" name="body" rows={4} value={values.body} onValue={(body) => set({ body })} />
      <AreaField
        label="What stays unsaid"
        name="dmSecret"
        rows={3}
        value={values.dmSecret}
        onValue={(dmSecret) => set({ dmSecret })}
      />
      <ReferenceField
        label="Place"
        name="locationId"
        none="Anywhere"
        value={values.locationId}
        onValue={(locationId) => set({ locationId })}
        options={locationOptions(places)}
      />
      <ReferenceField
        label="Quest"
        name="questId"
        none="None"
        value={values.questId}
        onValue={(questId) => set({ questId })}
        options={quests.map(({ id, title }) => ({ id, word: title }))}
      />
      <ReferenceField
        label="Session"
        name="sessionId"
        none="None yet"
        value={values.sessionId}
        onValue={(sessionId) => set({ sessionId })}
        options={sessions.map(({ id, number, title }) => ({
          id,
          word: title ? `Session ${number}, ${title}` : `Session ${number}`,
        }))}
      />
      <FormFoot submitting={submitting} onClose={onClose} />
    </Form>
  )
}

/** What was made at once: only a DM writes here, and a DM proposes nothing. */
async function made<T>(
  writing: Promise<{ readonly kind: 'done'; readonly value: T } | { readonly kind: 'proposed' }>,
): Promise<T> {
  const written = await writing
  if (written.kind !== 'done') throw new Error('a Dungeon Master proposes nothing')
  return written.value
}

const somethingNew = -1

/** A way out of a beat: a new one (`way` null), or one there is. It may lead to a beat that is written with it. */
export function WayForm({
  graph,
  beat,
  way,
  onClose,
}: {
  graph: StoryGraph
  beat: BeatDetail
  way: Way | null
  onClose: () => void
}): JSX.Element {
  const { toasts } = useApp()
  const write = useWrite()
  const keep = useSave()
  const submitting = useSubmit()
  const [values, setValues] = useState({
    label: way?.label ?? '',
    toBeatId: way?.toBeatId ?? null,
    condition: way?.condition ?? '',
    title: '',
  })
  const set = (change: Partial<typeof values>) => setValues((now) => ({ ...now, ...change }))
  const arcTitles = new Map<number, string>(graph.arcs.map(({ id, title }) => [id, title]))
  const options = graph.beats
    .filter(({ id }) => id !== beat.id)
    .map(({ id, arcId, title }) => ({
      id,
      word: arcId === beat.arcId ? title : `${title}, in ${arcTitles.get(arcId) ?? 'another arc'}`,
    }))

  const save = async () => {
    const went = await submitting.run(async () => {
      let toBeatId = values.toBeatId
      if (toBeatId === somethingNew) {
        const fresh: Output<'create_beat'> = await made(
          write('create_beat', { arcId: beat.arcId, title: values.title.trim() }),
        )
        toBeatId = fresh.id
        set({ toBeatId })
      }
      const written = { label: values.label.trim(), condition: orNull(values.condition), toBeatId }
      if (way) await keep('update_branch', { branchId: way.id, ...written })
      else {
        const given = Object.entries(written).filter(([, value]) => value !== null)
        await write('create_branch', { beatId: beat.id, ...Object.fromEntries(given), label: written.label })
        toasts.say('Kept.')
      }
    })
    if (went) onClose()
  }

  return (
    <Form
      operation="create_branch"
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={onClose}
      class="stack story-form"
    >
      <TextField
        label="What they do"
        name="label"
        required
        maxLength={120}
        placeholder="They break the door"
        value={values.label}
        onValue={(label) => set({ label })}
      />
      <ReferenceField
        label="It leads to"
        name="toBeatId"
        none="Nobody knows yet"
        value={values.toBeatId}
        onValue={(toBeatId) => set({ toBeatId })}
        options={[{ id: somethingNew, word: 'A new beat' }, ...options]}
      />
      {values.toBeatId === somethingNew && (
        <TextField
          label="What happens then"
          required
          maxLength={120}
          value={values.title}
          onValue={(title) => set({ title })}
        />
      )}
      <TextField
        label="What it takes"
        name="condition"
        maxLength={300}
        placeholder="A hard fight"
        value={values.condition}
        onValue={(condition) => set({ condition })}
      />
      <FormFoot submitting={submitting} onClose={onClose} />
    </Form>
  )
}

/** An arc: a new one (`arcId` null), or one there is. */
export function ArcForm({
  arc,
  onClose,
}: {
  arc: Output<'get_arc'> | null
  onClose: (arcId: number | null) => void
}): JSX.Element {
  const { campaignId } = useCampaign()
  const write = useWrite()
  const keep = useSave()
  const submitting = useSubmit()
  const [values, setValues] = useState({ title: arc?.title ?? '', summary: arc?.summary ?? '' })

  const save = () =>
    submitting.run(async () => {
      const [title, summary] = [values.title.trim(), orNull(values.summary)]
      if (arc) {
        await keep('update_arc', { arcId: arc.id, expectedRevision: arc.revision, title, summary })
        onClose(arc.id)
        return
      }
      const given = summary === null ? {} : { summary }
      onClose((await made(write('create_arc', { campaignId, title, ...given }))).id)
    })

  return (
    <Form
      operation="create_arc"
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={() => onClose(null)}
      class="stack story-form"
    >
      <TextField
        label="Title"
        name="title"
        required
        maxLength={120}
        value={values.title}
        onValue={(title) => setValues({ ...values, title })}
      />
      <AreaField
        label="What it is about"
        name="summary"
        rows={5}
        value={values.summary}
        onValue={(summary) => setValues({ ...values, summary })}
      />
      <FormFoot submitting={submitting} onClose={() => onClose(null)} />
    </Form>
  )
}
