/** Returns the id of the thing that the address names and its document does not show: `/token/bitcoin`, `?id=bitcoin`; `''`: none. */
export function idHere(): string {
  const [, name = ''] = /\/(?:token|exchanges|categories)\/([^/.]+)$/.exec(location.pathname) ?? []
  return new URLSearchParams(location.search).get('id') ?? decodeURIComponent(name)
}
