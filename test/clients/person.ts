/** What somebody does in the browser that a client opens: reads the page, fills in the form it shows, and sends it. */
export interface Person {
  readonly username: string
  readonly password: string
}

/** Fields of the consent form to choose otherwise than it shows; a list replaces all ticks of that name. */
export type Choices = Readonly<Record<string, string | readonly string[]>>

interface Shown {
  readonly url: URL
  readonly status: number
  readonly html: string
}

/** A page may lead on so often before somebody gives up. */
const mostPages = 8

/**
 * Signs in and says yes, as a browser without scripts would: cookies, redirects, and the fields that stand in the forms.
 * Returns the address at the client to which the server sends the browser; it is not opened.
 */
export async function letIn(address: URL, person: Person, choices: Choices = {}): Promise<URL> {
  const cookies = new Map<string, string>()
  const home = address.origin
  let target: URL = address
  let form: URLSearchParams | undefined
  for (let pages = 0; pages < mostPages; pages += 1) {
    const response = await fetch(target, {
      ...(form === undefined ? {} : { method: 'POST', body: form }),
      redirect: 'manual',
      headers: {
        ...(cookies.size === 0 ? {} : { cookie: Array.from(cookies, (pair) => pair.join('=')).join('; ') }),
        // A page whose Referrer-Policy is no-referrer sends its form with this Origin.
        ...(form === undefined ? {} : { origin: 'null', 'sec-fetch-site': 'same-origin' }),
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      await response.body?.cancel()
      target = new URL(location, target)
      form = undefined
      if (target.origin !== home) return target
      continue
    }
    const shown: Shown = { url: target, status: response.status, html: await response.text() }
    form = filledIn(shown, person, choices)
    target = new URL(attribute(tagsOf(shown.html, 'form')[0] ?? '', 'action') ?? '', target)
  }
  throw new Error(`${mostPages} pages were not enough`)
}

/** Says yes, and opens the address at the client, which listens there. Returns what the client's page says. */
export async function letInAndReturn(address: URL, person: Person, choices?: Choices): Promise<string> {
  const response = await fetch(await letIn(address, person, choices))
  const text = await response.text()
  if (!response.ok) throw new Error(`the client answered ${response.status}: ${text}`)
  return text
}

function filledIn({ url, status, html }: Shown, { username, password }: Person, choices: Choices): URLSearchParams {
  const complaint = /role="alert"[^>]*>(.*?)<\/p>/s.exec(html)?.[1]
  const fields = new URLSearchParams()
  const inputs = tagsOf(html, 'input')
  if (status !== 200 || complaint !== undefined || inputs.length === 0) {
    throw new Error(`${url.pathname} answered ${status}: ${(complaint ?? html).replaceAll(/<[^>]*>/g, ' ').trim()}`)
  }
  for (const input of inputs) {
    const name = attribute(input, 'name') ?? ''
    const type = attribute(input, 'type')
    if (name === 'username') fields.append(name, username)
    else if (name === 'password') fields.append(name, password)
    else if (type === 'radio' || type === 'checkbox') {
      if (/\schecked\b/.test(input)) fields.append(name, attribute(input, 'value') ?? 'on')
    } else fields.append(name, attribute(input, 'value') ?? '')
  }
  for (const [, name = '', options = ''] of html.matchAll(/<select[^>]*\sname="([^"]+)"[^>]*>(.*?)<\/select>/gs)) {
    const all = tagsOf(options, 'option')
    const selected = all.find((option) => /\sselected\b/.test(option)) ?? all[0] ?? ''
    fields.append(name, attribute(selected, 'value') ?? '')
  }
  for (const [name, value] of Object.entries(choices)) {
    if (!fields.has(name)) continue
    fields.delete(name)
    for (const each of typeof value === 'string' ? [value] : value) fields.append(name, each)
  }
  // The first button is the one that Enter presses.
  const [button = ''] = tagsOf(html, 'button')
  fields.append(attribute(button, 'name') ?? '', attribute(button, 'value') ?? '')
  return fields
}

function tagsOf(html: string, name: string): readonly string[] {
  return Array.from(html.matchAll(new RegExp(`<${name}(?=[\\s>])[^>]*>`, 'g')), ([tag]) => tag)
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&').replaceAll('&quot;', '"')
}
