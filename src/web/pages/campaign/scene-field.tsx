import type { JSX } from 'preact'
import type { Campaign } from '../../api/contract.ts'
import { useUniqueId } from '../../kit/hooks.ts'
import { scenePath } from '../../shell/links.ts'
import './scene-styles.ts'

type Scene = Campaign['scene']

const scenes: Readonly<Record<Scene, string>> = {
  orchard: 'An orchard in winter',
  headland: 'A light on the headland',
  forest: 'A gate in the forest',
  saltroad: 'The road across the salt',
  ferry: 'The ferry by night',
  press: 'The cider press',
}

/** Chooses the drawing on the first page of a campaign that has no cover of its own. */
export function SceneField({ value, onValue }: { value: Scene; onValue: (scene: Scene) => void }): JSX.Element {
  const name = useUniqueId()
  return (
    <fieldset class="field scenes">
      <legend class="label">The scene on its first page</legend>
      <div class="scene-choice">
        {(Object.keys(scenes) as Scene[]).map((scene) => (
          <label key={scene}>
            <input
              class="visually-hidden"
              type="radio"
              name={name}
              value={scene}
              checked={scene === value}
              onChange={() => onValue(scene)}
            />
            <img src={scenePath(scene)} alt="" loading="lazy" />
            <span class="small">{scenes[scene]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
