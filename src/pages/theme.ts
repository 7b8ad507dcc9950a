const { dataset, style } = document.documentElement
// Runs before the first paint, so that the wrong theme never flashes.
try {
  style.colorScheme = localStorage.getItem('theme') ?? ''
} catch {
  // A browser may forbid storage.
}
/** What the address asks the programs for that draw something else than their document, which would flash before it. */
const ASKS: Readonly<Record<string, RegExp>> = { market: /[?&](list|q|sort|verified)\b/, thing: /[?&]id=/ }
if (ASKS[dataset['program'] ?? '']?.test(location.search)) dataset['asked'] = ''

function stay(): void {
  delete dataset['asked']
  const notice = document.createElement('p')
  notice.className = 'notice'
  notice.textContent =
    'The program of this page could not be loaded, so the page stays as it was published. The site may be in the middle of an update. Reload the page in a few minutes.'
  document.getElementById('trouble')?.replaceChildren(notice)
}
// A cached program names files of its own release, which a newer one may have replaced. The document may not be read to its end.
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', stay)
    else stay()
  },
  true,
)
