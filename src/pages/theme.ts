// Before anything is drawn, so that nothing flashes: the one program that does not wait for the page.
try {
  document.documentElement.dataset['theme'] = localStorage.getItem('theme') ?? 'auto'
} catch {
  document.documentElement.dataset['theme'] = 'auto'
}
