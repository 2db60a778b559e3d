import { hostOf } from '../domain/app/rules.ts'
import type { Toolset } from '../kernel/operation.ts'
import type { Role, ToolPreset, WriteMode } from '../kernel/viewer.ts'
import { documentHost } from './client-document.ts'
import type { Client } from './clients.ts'
import { alwaysOpen } from './consent.ts'
import type { Choice } from './grants.ts'
import { type Html, html } from './html.ts'
import { paths } from './metadata.ts'
import { kindOfRedirect } from './redirects.ts'
import type { AuthorizationRequest } from './requests.ts'
import { scopesUpTo } from './scopes.ts'

/** The themes of the web app, which keeps the chosen one in a cookie for these pages. */
export const themes = ['ink', 'vellum', 'contrast'] as const
export type Theme = (typeof themes)[number]

/** A page as it is sent. */
export interface Page {
  readonly status: number
  html(theme: Theme): string
  /** The address that a form of it may lead to besides this server; null is none. */
  readonly leadsTo: string | null
}

const mark = html`<svg viewBox="4 3 56 58" class="oa-mark" aria-hidden="true"><path fill="currentColor" d="M7 26.4c7.5-3.3 14.2-2.7 19.6.9 1 1.8 2.2 3 2.2 3l-2.2 23.1C20.6 50.5 13.8 50 7 52.3Zm50 0c-7.5-3.3-14.2-2.7-19.6.9-1 1.8-2.2 3-2.2 3l2.2 23.1c6-2.9 12.8-3.4 19.6-1.1Z"/><path fill="none" stroke="currentColor" stroke-width="2.6" d="M5.5 56.3c9.8-2.7 18.7-1.3 26.5 3.2 7.8-4.5 16.7-5.9 26.5-3.2"/><path fill="var(--brass-fill)" d="M32 5.5c2.2 5.8 7.5 8.8 7.5 15a7.5 7.5 0 0 1-15 0c0-6.2 5.3-9.2 7.5-15Z"/></svg>`

function document(title: string, body: Html): Page['html'] {
  return (theme) =>
    html`<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title} · Talekeeper</title>
<link rel="icon" href="/icon/talekeeper.svg">
<link rel="stylesheet" href="/oauth/style.css">
</head>
<body>
${body}
</body>
</html>
`.html
}

/** A page with something to read and nothing to do. */
export function messagePage(status: number, title: string, advice: string): Page {
  const body = html`<main id="main" class="oa oa-narrow">
<div class="oa-pair">${mark}</div>
<h1>${title}</h1>
<p class="sub">${advice}</p>
<p class="oa-note"><a href="/">Go to Talekeeper</a></p>
</main>`
  return { status, html: document(title, body), leadsTo: null }
}

interface Asked {
  readonly formToken: string
  /** What was wrong with the form before; null at first. */
  readonly problem: string | null
  readonly status?: number
}

export interface SignInAsked extends Asked {
  /** Of the client; of one that is not known yet, its host. */
  readonly name: string
  readonly leadsTo: string | null
}

/** The page that asks who the person is. */
export function signInPage({ name, leadsTo, formToken, problem, status = 200 }: SignInAsked): Page {
  const body = html`<main id="main" class="oa oa-narrow">
${pair(name)}
<h1>Who is letting <span class="oa-name">${name}</span> in?</h1>
<p class="sub">Sign in first. Then you choose what it may see and do.</p>
<form method="post" action="${paths.authorize}">
<input type="hidden" name="ticket" value="${formToken}">
<div class="oa-fields">
<div class="field"><label for="username">Name</label><input class="input" id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="100" required autofocus></div>
<div class="field"><label for="password">Password</label><input class="input" id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required></div>
${complaint(problem)}
</div>
<div class="oa-go"><button class="btn primary" type="submit" name="action" value="sign_in">Sign in</button><button class="btn" type="submit" name="action" value="deny" formnovalidate>Not now</button></div>
</form>
</main>`
  return { status, html: document('Sign in', body), leadsTo }
}

export interface ConsentAsked extends Asked {
  readonly client: Client
  readonly request: AuthorizationRequest
  readonly username: string
  readonly campaigns: readonly { readonly id: number; readonly name: string; readonly role: Role }[]
  readonly toolsets: readonly { readonly name: Toolset; readonly tools: number }[]
  /** How many tools each ready-made selection shows. */
  readonly toolPresets: Readonly<Record<ToolPreset, number>>
  /** What stands in the form at first. */
  readonly chosen: Choice
}

/** The page that asks for the yes: every choice narrows what the client asked for, none widens it. */
export function consentPage(asked: ConsentAsked): Page {
  const { client, request, formToken, problem, username, status = 200 } = asked
  const body = html`<a class="skip" href="#main">Skip to the page</a>
<main id="main" class="oa">
${pair(client.name)}
<h1>Let <span class="oa-name">${client.name}</span> in?</h1>
${origin(client, request)}
<p class="small soft oa-note">You are signed in as <strong>${username}</strong>. <a href="${paths.authorize}?continue=${request.id}&amp;as=another">Not you?</a></p>
<form method="post" action="${paths.authorize}">
<input type="hidden" name="ticket" value="${formToken}">
${campaignChoice(asked)}
<div class="oa-two">
${scopeChoice(asked)}
${writeModeChoice(asked)}
</div>
${toolsetChoice(asked)}
${presetChoice(asked)}
${complaint(problem)}
<div class="oa-go"><button class="btn primary" type="submit" name="action" value="allow">Let it in</button><button class="btn" type="submit" name="action" value="deny">Not now</button><span class="small soft">Until 90 days pass without use, or you take it back in your account.</span></div>
</form>
</main>`
  return { status, html: document('Let an app in?', body), leadsTo: request.redirectUri }
}

function pair(name: string): Html {
  const initials = Array.from(name.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .slice(0, 2)
    .join('')
    .replace(/^./u, (first) => first.toUpperCase())
  return html`<div class="oa-pair" aria-hidden="true"><span class="oa-guest">${initials || '?'}</span><span class="oa-thread"></span>${mark}</div>`
}

/** Where the answer goes: all that is known for certain of a client that named itself (RFC 9700, 4.11; RFC 8252, 8.6). */
function origin(client: Client, { redirectUri }: AuthorizationRequest): Html {
  const host = html`<span class="oa-host">${hostOf(redirectUri)}</span>`
  const describedAt = documentHost(client.clientId)
  const named =
    describedAt === null
      ? html`It named itself; Talekeeper cannot check who made it.`
      : html`Its name is what <span class="oa-host">${describedAt}</span> says of it.`
  switch (kindOfRedirect(redirectUri)) {
    case 'site':
      return html`<p class="sub">It will answer to ${host}. ${named} Go on only if you know ${describedAt === null ? 'this address' : 'both addresses'}.</p>`
    case 'app':
      return html`<p class="sub">It will answer to the app that owns the addresses ${host} on this device. ${named} Go on only if you have just started this yourself.</p>`
    case 'loopback':
      return html`<p class="sub">It will answer to ${host}, a program on the computer in front of you. ${named}</p>
<p class="banner oa-note" role="note"><span class="grow">Any program on that computer can say that it is this one. Go on only if you have just started this yourself.</span></p>`
  }
}

function campaignChoice({ campaigns, chosen }: ConsentAsked): Html {
  const options = campaigns.map(
    ({ id, name }) => html`<option value="${id}"${selected(chosen.campaignId === id)}>${name}</option>`,
  )
  return html`<div class="oa-group"><div class="field"><label for="campaign" class="oa-head">Which campaign</label>
<select class="input" id="campaign" name="campaign">${options}<option value="all"${selected(chosen.campaignId === null)}>All of mine, and those to come</option></select></div></div>`
}

const scopeWords: Readonly<Record<Role, { readonly title: string; readonly more: string }>> = {
  viewer: { title: 'As a guest', more: 'What the players know already. It changes nothing.' },
  player: { title: 'As a player', more: 'The same, and what players do: notes, words to the DM, proposals.' },
  dm: { title: 'As you, the Dungeon Master', more: 'Everything where you are the DM, with all secrets.' },
}

function scopeChoice({ request, chosen }: ConsentAsked): Html {
  const rows = scopesUpTo(request.scope).map((scope) => {
    const { title, more } = scopeWords[scope]
    const hint = scope === 'dm' ? html`<span class="oa-dm">${more}</span>` : more
    return tick('radio', 'scope', scope, chosen.scope === scope, html`<strong>${title}</strong>`, hint)
  })
  return html`<fieldset class="oa-group"><legend>How much it may see</legend><div class="oa-ladder">${rows}</div></fieldset>`
}

const writeModeWords: Readonly<Record<WriteMode, { readonly title: Html; readonly more: string }>> = {
  read: { title: html`<strong>Nothing</strong>, it only reads`, more: '' },
  propose: { title: html`<strong>It proposes</strong>, you decide`, more: 'Every change waits in your inbox.' },
  direct: { title: html`<strong>It writes</strong> at once`, more: 'You can undo each change from its history.' },
}

function writeModeChoice({ chosen }: ConsentAsked): Html {
  const rows = (['read', 'propose', 'direct'] as const).map((mode) => {
    const { title, more } = writeModeWords[mode]
    return tick('radio', 'write_mode', mode, chosen.writeMode === mode, title, more)
  })
  return html`<fieldset class="oa-group"><legend>What it may change</legend><div class="oa-ladder">${rows}</div></fieldset>`
}

const toolsetWords: Readonly<Record<Toolset, string>> = {
  campaign: 'Campaign',
  story: 'Story',
  world: 'World',
  maps: 'Maps',
  party: 'Party',
  dice: 'Dice',
  combat: 'Fights',
  journal: 'Journal',
  schedule: 'Game nights',
  table: 'Table',
  review: 'Review',
  rules: 'Rules',
  files: 'Files',
  ai: 'AI helpers',
}

function toolsetChoice({ toolsets, chosen }: ConsentAsked): Html {
  const rows = toolsets
    .filter(({ name }) => name !== alwaysOpen)
    .map(({ name, tools }) => {
      const checked = chosen.toolsets === null || chosen.toolsets.includes(name)
      const title = html`${toolsetWords[name]} <span class="faint">${tools}</span>`
      return tick('checkbox', 'toolset', name, checked, title, '')
    })
  return html`<fieldset class="oa-group"><legend>Which shelves it may open</legend><div class="oa-sets">${rows}</div>
<p class="small soft">The numbers count tools. What stands on a closed shelf it meets nowhere, in no search and no link. It always finds the campaign itself, and never backups, accounts or this server’s settings.</p></fieldset>`
}

const presetWords: Readonly<Record<ToolPreset, string>> = {
  'dm-core': 'to prepare and keep a campaign',
  session: 'to run a night',
  player: 'for one player',
  compact: 'that find and call the rest, for small models',
}

/** For clients that cannot say what they take: it narrows what they are shown, and no right. */
function presetChoice({ toolsets, toolPresets, chosen }: ConsentAsked): Html {
  const all = toolsets.reduce((sum, { tools }) => sum + tools, 0)
  const options = Object.entries(presetWords).map(
    ([name, words]) =>
      html`<option value="${name}"${selected(chosen.toolPreset === name)}>${toolPresets[name as ToolPreset]} ${words}</option>`,
  )
  return html`<div class="oa-group"><div class="field"><label for="shown" class="oa-head">How many tools it is shown</label>
<select class="input" id="shown" name="shown" aria-describedby="shown-more"><option value="all"${selected(chosen.toolPreset === null)}>All of those shelves, at most ${all}</option>${options}</select>
<p class="small soft" id="shown-more">It reads them all each time, some 100 tokens each, and some apps take no more than 40 or 128. Claude and ChatGPT look up what they need: leave them all. Where its changes wait, all means what it reads, the changes of every day, and two that find the rest.</p></div></div>`
}

function tick(
  type: 'radio' | 'checkbox',
  name: string,
  value: string,
  checked: boolean,
  title: Html,
  more: Html | string,
): Html {
  const hint = more === '' ? html`` : html`<span class="help">${more}</span>`
  return html`<label class="checkbox"><input type="${type}" name="${name}" value="${value}"${checked ? html` checked` : ''}><span>${title}</span>${hint}</label>`
}

function selected(is: boolean): Html {
  return is ? html` selected` : html``
}

function complaint(problem: string | null): Html {
  return problem === null
    ? html``
    : html`<p class="banner bad oa-note" role="alert"><span class="grow">${problem}</span></p>`
}
