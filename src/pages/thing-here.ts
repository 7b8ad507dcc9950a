/** Returns the id in the address of a thing's own page, such as `/exchanges/binance.html`; null: it is the page of all. */
export function idHere(folder: string): string | null {
  const [, name = ''] = new RegExp(`/${folder}/([^/]+?)(?:\\.html)?$`).exec(location.pathname) ?? []
  return name === '' || name === 'index' ? null : decodeURIComponent(name)
}
