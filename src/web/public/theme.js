// Before the first paint: the theme this browser chose, so that nobody is dazzled. Everything else is in shell/theme.ts.
try {
  const kept = localStorage.getItem('talekeeper-theme')
  const asked = matchMedia('(prefers-contrast: more)').matches ? 'contrast' : 'ink'
  document.documentElement.dataset.theme = kept === 'vellum' || kept === 'contrast' || kept === 'ink' ? kept : asked
} catch {
  // Without storage the page keeps the theme it was sent with.
}
