// Runs before the first paint, so that the wrong theme never flashes.
try {
  document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? 'auto'
} catch {
  document.documentElement.dataset['theme'] = 'auto'
}
// A page that shows any thing has the list of all in its document, which would flash before the one that is asked for.
if (new URLSearchParams(location.search).has('id')) document.documentElement.dataset['asked'] = ''
