import type { ComponentChildren, JSX } from 'preact'
import { Logo } from '../../kit/page.tsx'
import { defaultCover } from '../../shell/links.ts'

/** The pages before the house: a lit window at the left, one thing to do at the right. */
export function AuthLayout({ steps, children }: { steps?: JSX.Element; children: ComponentChildren }): JSX.Element {
  return (
    <div class="auth">
      <div class="auth-picture">
        <img src={defaultCover} alt="" />
      </div>
      <main id="main" class="auth-form" tabIndex={-1}>
        <div class="logo">
          <Logo />
          Talekeeper
          {steps && <span class="end">{steps}</span>}
        </div>
        {children}
      </main>
    </div>
  )
}

/** Where one is in a wizard, as diamonds. */
export function WizardSteps({ at, of }: { at: number; of: number }): JSX.Element {
  return (
    <span class="steps" role="img" aria-label={`Step ${at} of ${of}`}>
      {Array.from({ length: of }, (_, index) => (
        <i key={`step ${index + 1}`} class={index + 1 === at ? 'on' : index + 1 < at ? 'past' : undefined} />
      ))}
    </span>
  )
}
