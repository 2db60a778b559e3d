import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../kit/icon.tsx'
import { Section } from '../../kit/page.tsx'

/** Where a backup that is a file on this device is chosen, to be put back. */
export function Restore({ busy, onFile }: { busy: boolean; onFile: (file: File) => void }): JSX.Element {
  const self = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === '#restore') self.current?.scrollIntoView()
  }, [])
  return (
    <div ref={self} id="restore">
      <Section title="Put a backup back">
        <p class="prose soft">
          Choose the file, or take one from the shelf. First you read what is in it; nothing changes until you type the
          word.
        </p>
        <label class="btn" aria-disabled={busy || undefined}>
          <Icon name="put" />
          Choose the file
          <input
            class="visually-hidden"
            type="file"
            accept=".zip,application/zip"
            disabled={busy}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              // So that the same file can be chosen again.
              event.currentTarget.value = ''
              if (file) onFile(file)
            }}
          />
        </label>
      </Section>
    </div>
  )
}
