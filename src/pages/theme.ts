// Runs before the first paint, so that the wrong theme never flashes.
try {
  document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? 'auto'
} catch {
  document.documentElement.dataset['theme'] = 'auto'
}
// A document has the list of all things, which would flash before the thing or the reader's own list that is asked for.
const query = new URLSearchParams(location.search)
if (query.has('id') || ['watchlist', 'portfolio'].includes(query.get('list') ?? ''))
  document.documentElement.dataset['asked'] = ''
