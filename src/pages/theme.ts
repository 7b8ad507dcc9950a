// Runs before the first paint, so that the wrong theme never flashes.
try {
  document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? 'auto'
} catch {
  document.documentElement.dataset['theme'] = 'auto'
}
