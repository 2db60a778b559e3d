/** A line of a preparation that can be ticked: `- [ ] Give the Cellarer a voice`. */
export interface PrepTask {
  /** Which line of the text it is. */
  readonly line: number
  readonly text: string
  readonly done: boolean
}

const task = /^(\s*[-*+]\s+\[)([ xX])(\]\s+)(.*\S)\s*$/

export function tasksIn(prep: string): readonly PrepTask[] {
  return prep.split('\n').flatMap((text, line) => {
    const [, , mark, , words] = task.exec(text) ?? []
    return words === undefined ? [] : [{ line, text: words, done: mark !== ' ' }]
  })
}

/** The text with one of its tasks ticked or not. */
export function withTask(prep: string, line: number, done: boolean): string {
  return prep
    .split('\n')
    .map((text, at) => (at === line ? text.replace(task, `$1${done ? 'x' : ' '}$3$4`) : text))
    .join('\n')
}
