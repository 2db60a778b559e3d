// Before the first paint: the theme that was chosen here, or that the device asks for, so that nobody is dazzled. The rest is in shell/preferences.ts.
try {
  const kept = localStorage.getItem('talekeeper-theme')
  const light = matchMedia('(prefers-color-scheme: light)').matches ? 'vellum' : 'ink'
  const asked = matchMedia('(prefers-contrast: more)').matches ? 'contrast' : light
  document.documentElement.dataset.theme = kept === 'vellum' || kept === 'contrast' || kept === 'ink' ? kept : asked
} catch {
  // Without storage the page keeps the theme it was sent with.
}
