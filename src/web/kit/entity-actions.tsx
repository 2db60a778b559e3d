import { useLocation } from 'wouter-preact'
import type { Input, OperationName } from '../api/contract.ts'
import { idMember, lineOf } from '../kinds.ts'
import { useAction } from '../shell/actions.ts'
import { type EntityRef, useApp, useCampaign } from '../shell/context.ts'
import { count } from './format.ts'
import { useMembers } from './references.tsx'

/** Moves a thing to the trash and goes to `next`. A DM can undo it for a while; others are asked first. */
export function useTrash() {
  const { campaignId, isDm } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const [, navigate] = useLocation()
  return async ({ entityType, entityId, label }: EntityRef, next?: string): Promise<boolean> => {
    const { delete: operation } = lineOf(entityType)
    if (!operation) throw new Error(`${entityType}: nothing takes one away`)
    if (!isDm) {
      const question = { title: `Throw ${label} away?`, text: 'Only a DM can bring it back.', yes: 'Throw it away' }
      if (!(await confirmations.ask({ ...question, danger: true }))) return false
    }
    const undo = () => act('restore_from_trash', { campaignId, entityType, entityId }, { message: `${label} is back.` })
    const done = await act(operation, { [idMember(entityType)]: entityId } as Input<OperationName>, {
      message: `${label} is in the trash.`,
      ...(isDm ? { undo } : {}),
    })
    if (done && next) navigate(next)
    return done !== null
  }
}

/** Shows a hidden thing to the players, after a question, or hides it, with a way back. */
export function useReveal() {
  const { campaignId } = useCampaign()
  const { confirmations } = useApp()
  const act = useAction()
  const players = useMembers().filter((member) => member.role !== 'dm').length
  return {
    async reveal({ entityType, entityId, label }: EntityRef) {
      const yes = await confirmations.ask({
        title: `Show ${label} to the party?`,
        text:
          players === 0
            ? 'Nobody plays here yet, so nobody sees it now. Whoever comes in will find it. What is written in blue stays yours.'
            : `${count(players, 'player')} can see it at once. You can hide it again, but they will remember. What is written in blue stays yours.`,
        yes: 'Show it',
      })
      if (yes) await act('reveal_entity', { campaignId, entityType, entityId }, { message: `The party sees ${label}.` })
    },
    async hide({ entityType, entityId, label }: EntityRef) {
      const undo = () => act('reveal_entity', { campaignId, entityType, entityId })
      await act('hide_entity', { campaignId, entityType, entityId }, { message: `${label} is hidden.`, undo })
    },
    /** Moves the secret words into the open text. Answers whether it was wanted. */
    confirmPublish: () =>
      confirmations.ask({
        title: 'Put these words into the open text?',
        text:
          players === 0
            ? 'Nobody plays here yet. Whoever comes in can read them.'
            : `${count(players, 'player')} can read them at once.`,
        yes: 'Let them read it',
      }),
  }
}
