import type { FastifyInstance } from 'fastify'
import type { PhoneChecks } from './phone-check.ts'

export interface HelloParts {
  readonly checks: PhoneChecks
  isLoopback(address: string): boolean
}

const themes = ['ink', 'vellum', 'contrast']
const policy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/** `/hello`: what a phone opens to find out whether it can come in. It needs no script and tells nothing of the tale. */
export function helloPage(app: FastifyInstance, { checks, isLoopback }: HelloParts): void {
  app.get('/hello', async (request, reply) => {
    // This computer reaches itself whatever its firewall says.
    const word = isLoopback(request.ip) ? (checks.current()?.word ?? null) : checks.knock(request.ip)
    const theme = themes.find((each) => each === request.cookies.talekeeper_theme) ?? 'ink'
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .send(pageOf(theme, word))
  })
}

function pageOf(theme: string, word: string | null): string {
  const said =
    word === null
      ? '<h1>You can come in</h1>\n<p class="sub">This device reaches Talekeeper.</p>'
      : `<p class="sub">You can come in. The word is</p>\n<h1 class="hello-word">${word}</h1>\n<p class="sub">It stands on the computer too, if that is the right one.</p>`
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<meta name="robots" content="noindex">
<title>Hello · Talekeeper</title>
<link rel="icon" href="/icon/talekeeper.svg">
<link rel="stylesheet" href="/oauth/style.css">
</head>
<body>
<main id="main" class="oa oa-narrow">
${said}
<p class="oa-note"><a href="/">Go to Talekeeper</a></p>
</main>
</body>
</html>
`
}
