/** Whether a text holds every word of the query, whatever their case and order. Part of a word is enough. */
export function holdsWords(text: string, query: string): boolean {
  const searched = text.normalize('NFKC').toLowerCase()
  const words = query.normalize('NFKC').toLowerCase().split(/\s+/u)
  return words.every((word) => searched.includes(word))
}
