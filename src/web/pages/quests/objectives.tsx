import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import type { Objective, QuestDetail } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { Checkbox, Switch, TextField } from '../../kit/field.tsx'
import { Form, FormError, useSubmit } from '../../kit/form.tsx'
import { count } from '../../kit/format.ts'
import { withMoved } from '../../kit/list.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Section } from '../../kit/page.tsx'
import { RepeatedRows } from '../../kit/repeated-rows.tsx'
import { useOpened, useWords } from '../../kit/words.ts'
import { useAction, useSave, useWrite } from '../../shell/actions.ts'
import { useApp, useCampaign } from '../../shell/context.ts'

/** The steps of a quest: ticked by anybody who plays, shaped by who may shape the tale. */
export function Objectives({
  quest,
  objectives,
}: {
  quest: QuestDetail
  objectives: readonly Objective[]
}): JSX.Element | null {
  const { mayEdit, isDm } = useCampaign()
  const [begun] = useOpened('steps')
  const [open, setOpen] = useState<number | 'new' | null>(begun ? 'new' : null)
  const done = objectives.filter((objective) => objective.done).length
  if (objectives.length === 0 && !mayEdit) return null
  return (
    <Section
      title="What is left to do"
      end={objectives.length > 0 && <span class="soft small">{`${done} of ${objectives.length}`}</span>}
    >
      <ul class="objectives">
        {objectives.map((objective, index) => (
          <li key={objective.id}>
            {open === objective.id ? (
              <ObjectiveForm objective={objective} onDone={() => setOpen(null)} />
            ) : (
              <Step quest={quest} all={objectives} index={index} onEdit={() => setOpen(objective.id)} />
            )}
          </li>
        ))}
      </ul>
      {open === 'new' ? (
        <NewObjectives quest={quest} onDone={() => setOpen(null)} />
      ) : (
        mayEdit && (
          <Button variant="quiet" icon="plus" class="outdent" onClick={() => setOpen('new')}>
            {isDm ? 'Add steps' : 'Propose steps'}
          </Button>
        )
      )}
    </Section>
  )
}

function Step({
  quest,
  all,
  index,
  onEdit,
}: {
  quest: QuestDetail
  all: readonly Objective[]
  index: number
  onEdit: () => void
}): JSX.Element | null {
  const { isDm, mayWrite, mayEdit } = useCampaign()
  const act = useAction()
  const trash = useTrash()
  const objective = all[index]
  if (!objective) return null

  const tick = (done: boolean): Promise<unknown> =>
    act(
      'set_objective_done',
      { objectiveId: objective.id, done },
      {
        message: done ? 'Done, and ticked off.' : 'Open again.',
        undo: () => tick(!done),
        ahead: {
          what: 'The tick',
          show: (cache) => [
            cache.one('get_quest', { questId: quest.id }).overlay((now) => ({
              ...now,
              objectives: now.objectives.map((one) => (one.id === objective.id ? { ...one, done } : one)),
            })),
          ],
        },
      },
    )
  const move = (by: 1 | -1) => {
    const after = all[by === 1 ? index + 1 : index - 2]?.id
    void act(
      'reorder_objectives',
      { questId: quest.id, objectiveIds: [objective.id], ...(after === undefined ? {} : { afterObjectiveId: after }) },
      {
        ahead: {
          what: 'The new order',
          show: (cache) => [
            cache
              .one('get_quest', { questId: quest.id })
              .overlay((now) => ({ ...now, objectives: [...withMoved(now.objectives, objective.id, after)] })),
          ],
        },
      },
    )
  }
  return (
    <div class="step">
      <Checkbox
        label={objective.text}
        checked={objective.done}
        struck
        disabled={!mayWrite}
        onValue={(done) => void tick(done)}
        {...(objective.optional || objective.hidden
          ? {
              hint: (
                <>
                  {objective.optional && 'If you can. '}
                  {objective.hidden && <HiddenBadge />}
                </>
              ),
            }
          : {})}
      />
      {mayEdit && (
        <Menu
          label={`More about the step “${objective.text}”`}
          items={[
            { icon: 'pen', word: isDm ? 'Edit' : 'Propose a change', run: onEdit },
            isDm && index > 0 && { icon: 'up', word: 'Move up', run: () => move(-1) },
            isDm && index < all.length - 1 && { icon: 'down', word: 'Move down', run: () => move(1) },
            isDm && {
              icon: 'trash',
              word: 'Remove',
              danger: true,
              run: () => trash({ entityType: 'objective', entityId: objective.id, label: 'The step' }),
            },
          ]}
        />
      )}
    </div>
  )
}

interface StepValues {
  readonly text: string
  readonly optional: boolean
  readonly hidden: boolean
}

const newStep: StepValues = { text: '', optional: false, hidden: false }

/** What is sent of a step. Only a DM hides. */
const fieldsOf = ({ text, optional, hidden }: StepValues, isDm: boolean) => ({
  text: text.trim(),
  optional,
  ...(isDm ? { hidden } : {}),
})

function StepFields({ values, change }: { values: StepValues; change: (change: Partial<StepValues>) => void }) {
  const { isDm } = useCampaign()
  return (
    <>
      <TextField
        label="Step"
        name="text"
        maxLength={500}
        required
        autofocus
        value={values.text}
        onValue={(text) => change({ text })}
      />
      <Switch label="Optional" checked={values.optional} onValue={(optional) => change({ optional })} />
      {isDm && <Switch label="Hidden from players" checked={values.hidden} onValue={(hidden) => change({ hidden })} />}
    </>
  )
}

function ObjectiveForm({ objective, onDone }: { objective: Objective; onDone: () => void }): JSX.Element {
  const { isDm } = useCampaign()
  const keep = useSave()
  const submitting = useSubmit()
  const [values, setValues] = useState<StepValues>(objective)

  const save = async () => {
    const went = await submitting.run(async () => {
      const input = { objectiveId: objective.id, expectedRevision: objective.revision, ...fieldsOf(values, isDm) }
      await keep('update_objective', input)
    })
    if (went) onDone()
  }
  return (
    <Form
      operation="update_objective"
      about={objective.id}
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={onDone}
      class="stack step-form"
    >
      <StepFields values={values} change={(change) => setValues({ ...values, ...change })} />
      <FormError error={submitting.error} />
      <div class="line">
        <Button type="submit" icon="check" busy={submitting.busy}>
          {isDm ? 'Keep it' : 'Propose it'}
        </Button>
        <IconButton icon="x" label="Close" onClick={onDone} />
      </div>
    </Form>
  )
}

/** Steps are often written down several at a time. Those that were taken go from the form; a refused one stays in it. */
function NewObjectives({ quest, onDone }: { quest: QuestDetail; onDone: () => void }): JSX.Element {
  const { isDm } = useCampaign()
  const { toasts } = useApp()
  const write = useWrite()
  const submitting = useSubmit()
  const words = useWords('steps', { steps: [newStep] as readonly StepValues[] })
  const { steps } = words.values
  const setSteps = (next: readonly StepValues[]) => words.set({ steps: next })
  const close = () => {
    words.forget()
    onDone()
  }

  const save = async () => {
    const went = await submitting.run(async () => {
      let proposed = 0
      try {
        for (const [index, step] of steps.entries()) {
          const written = await write('create_objective', { questId: quest.id, ...fieldsOf(step, isDm) })
          if (written.kind === 'proposed') proposed++
          setSteps(steps.slice(index + 1))
        }
      } catch (error) {
        throw error instanceof CallError ? error.within('steps.0') : error
      } finally {
        if (proposed > 0) toasts.say(`Sent to the DM as ${count(proposed, 'proposal')}.`)
      }
    })
    if (went) close()
  }
  return (
    <Form
      operation="create_objective"
      ownWords
      submitting={submitting}
      onSubmit={() => void save()}
      onCancel={close}
      class="stack step-form"
    >
      <RepeatedRows
        name="steps"
        one="Step"
        addWord="Another step"
        ordered
        rows={steps}
        onRows={setSteps}
        blank={newStep}
      >
        {(step, change) => <StepFields values={step} change={change} />}
      </RepeatedRows>
      <FormError error={submitting.error} />
      <div class="line">
        <Button type="submit" icon="check" busy={submitting.busy}>
          {isDm ? 'Keep it' : 'Propose it'}
        </Button>
        <IconButton icon="x" label="Close" onClick={close} />
      </div>
    </Form>
  )
}
