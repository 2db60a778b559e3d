/**
 * The one JSON object in what a model wrote: thinking aloud and a code fence around it are left out. Null where there is none,
 * or only the beginning of one: half an object is an answer that was cut, and nobody guesses the rest.
 */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  const spoken = text.replaceAll(/<think>[\s\S]*?<\/think>/g, '').replace(/^[\s\S]*<\/think>/, '')
  const start = spoken.indexOf('{')
  if (start < 0) return null
  const end = endOf(spoken, start)
  if (end === null) return null
  try {
    return JSON.parse(spoken.slice(start, end)) as Readonly<Record<string, unknown>>
  } catch {
    return null
  }
}

/** Where the object that begins at `start` ends. */
function endOf(text: string, start: number): number | null {
  let depth = 0
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    const letter = text[at]
    if (isQuoted) {
      if (letter === '\\') at += 1
      else if (letter === '"') isQuoted = false
    } else if (letter === '"') isQuoted = true
    else if (letter === '{') depth += 1
    else if (letter === '}') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

/** Null stands for absent: models are asked to name every member. Blank texts of lists go too. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, withoutNulls(each)]])),
  )
}
