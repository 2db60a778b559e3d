import type { JSX, RefObject } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { CampaignContext } from '../shell/context.ts'
import type { MentionList } from './mention-list.tsx'

/** A text box for prose. In a campaign an @ offers its names at the caret; that code is fetched with the first such box. */
export function ProseArea({
  area,
  onValue,
  ...rest
}: Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'onInput' | 'ref'> & {
  area: RefObject<HTMLTextAreaElement>
  value: string
  onValue: (value: string) => void
}): JSX.Element {
  const here = useContext(CampaignContext)
  const [List, setList] = useState<typeof MentionList>()
  useEffect(() => {
    // Where it does not come, an @ is a letter like others.
    if (here) import('./mention-list.tsx').then((chunk) => setList(() => chunk.MentionList)).catch(() => undefined)
  }, [here === null])
  return (
    <>
      <textarea {...rest} ref={area} onInput={(event) => onValue(event.currentTarget.value)} />
      {List && area.current && <List area={area.current} />}
    </>
  )
}
