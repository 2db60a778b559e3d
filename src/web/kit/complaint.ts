/** What the server says of a value that does not fit, and how a person says it. */
const sayings: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/^Too small: expected string to have >=1 /, () => 'Write something here'],
  [/^Too small: expected string to have >=(\d+) /, (least) => `At least ${least} characters`],
  [/^Too big: expected string to have <=(\d+) /, (most) => `At most ${most} characters`],
  [/^Too small: expected array to have >=(\d+) /, (least) => `At least ${least} of them`],
  [/^Too big: expected array to have <=(\d+) /, (most) => `At most ${most} of them`],
  [/^Too small: expected (?:number|int) to be >=(-?[\d.]+)/, (least) => `Not less than ${least}`],
  [/^Too big: expected (?:number|int) to be <=(-?[\d.]+)/, (most) => `Not more than ${most}`],
  [/^Invalid input: expected \w+, received (?:undefined|null)/, () => 'This is needed'],
  [/^Invalid input: expected (?:number|int)/, () => 'A number belongs here'],
  [/^Invalid option/, () => 'Choose one of those that are offered'],
]

/** A complaint in a person's words, as a sentence. */
export function complaintWords(message: string): string {
  for (const [form, say] of sayings) {
    const found = form.exec(message)
    if (found) return `${say(...found.slice(1))}.`
  }
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
