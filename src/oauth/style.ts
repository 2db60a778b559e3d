/** Layout of the sign-in and consent pages. Colours, type and controls are the web app's own style sheet. */
const layout = `
.oa { max-width: 52rem; margin-inline: auto; padding: var(--s7) var(--gutter) var(--s7); }
.oa-narrow { max-width: 34rem; padding-top: max(var(--s7), 12vh); }
.oa-pair { display: flex; align-items: center; gap: var(--s3); margin-bottom: var(--s5); }
.oa-guest { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; border-radius: var(--r3); background: var(--raise); font: 700 1.5rem/1 var(--sans); }
.oa-mark { width: 3.5rem; height: 3.5rem; }
.oa-thread { flex: none; width: 4rem; height: 0; border-top: 2px dotted var(--edge); }
.oa-name { overflow-wrap: anywhere; }
.oa-host { font: 600 1em/1.4 var(--mono); color: var(--text); overflow-wrap: anywhere; }
.oa-note { margin-top: var(--s4); }
.oa-group { margin-top: var(--s6); border: 0; padding: 0; min-width: 0; }
.oa-group > legend, .oa-group .oa-head { color: var(--text); font: 600 var(--t-h3)/1.25 var(--serif); word-spacing: 0.1em; padding: 0; margin-bottom: var(--s1); }
.oa-group > .small { margin-top: var(--s2); }
.oa-ladder { display: grid; }
.oa-dm { color: var(--dm); }
.oa-ladder .checkbox + .checkbox { border-top: 1px solid var(--hair); }
.oa-two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 var(--s7); }
.oa-sets { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr)); gap: 0 var(--s5); }
.oa-fields { display: grid; gap: var(--s4); margin-top: var(--s5); max-width: 28rem; }
.oa-go { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s3); margin-top: var(--s6); padding-top: var(--s2); }
.oa-go .btn { min-width: 8rem; min-height: var(--table); }
@media (max-width: 40rem) {
  .oa, .oa-narrow { padding-top: var(--s5); }
  .oa-two { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .oa-go .btn { flex: 1; }
  .oa-go .small { width: 100%; }
}
`

/** The style sheet of these pages: the web app's, where it was built, and the layout. */
export function pageStyles(appStyles: Buffer | undefined): string {
  return `${appStyles?.toString('utf8') ?? ''}\n${layout.trim()}\n`
}
