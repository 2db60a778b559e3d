import type { JSX } from 'preact'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { Section } from '../../kit/page.tsx'
import type { Place } from './ai-presets.ts'

/** What goes out of the house, and what never does. */
export function WhatLeaves({ place, external }: { place: Place; external: boolean }): JSX.Element {
  return (
    <Section title="What leaves this house">
      {place === 'none' ? (
        <p>Nothing. No page here has ever spoken to the outside by itself.</p>
      ) : (
        <div class="ai-wall">
          <div>
            <h3>Stays in</h3>
            <ul>
              {place === 'local' && (
                <Said icon="check">All of it. The words go from one program to another in your own network</Said>
              )}
              <Said icon="check">Whispers and private notes, always</Said>
              {external ? (
                <Said icon="check">
                  {place === 'local'
                    ? 'Even so, it reads only what its author has said yes to'
                    : 'Everything by somebody who has not said yes'}
                </Said>
              ) : (
                <Said icon="check">
                  AI_PROVIDER_ENDPOINT_IS_LOCAL is set: what it is given counts as staying here, and nobody is asked
                </Said>
              )}
              <Said icon="check">Passwords, addresses, pictures and maps</Said>
              <Said icon="check">Who ever asked for a pause: nobody knows that, not even here</Said>
            </ul>
          </div>
          <div>
            <h3>Goes out, when you ask</h3>
            {place === 'local' ? (
              <p>
                Nothing. A model is fetched by its own program, once, when you choose a new one. Talekeeper has no part
                in that.
              </p>
            ) : (
              <ul>
                <Said icon="out">
                  For a draft: what you ask, and the names of people and places that every player knows
                </Said>
                <Said icon="out">For a recap and for the seat: the notes of those who said yes</Said>
                <Said icon="eyeoff">What you keep from players, only where you let the seat read it</Said>
              </ul>
            )}
          </div>
        </div>
      )}
    </Section>
  )
}

function Said({ icon, children }: { icon: IconName; children: string }): JSX.Element {
  return (
    <li>
      <Icon name={icon} size="s" />
      <span>{children}</span>
    </li>
  )
}
