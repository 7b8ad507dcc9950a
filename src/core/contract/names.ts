/**
 * Returns a symbol in a form that is safe in every URL: `$michi` -> MICHI, `USDC.e` -> USDCE. Symbols that differ only
 * in case or punctuation share a key. A symbol without a Latin letter or digit has the empty key.
 */
export const symbolKey = (symbol: string): string =>
  symbol
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, 64)

/** Returns an address for comparison: lower case if hexadecimal (its case is a checksum, EIP-55), otherwise unchanged. */
export const foldedAddress = (address: string): string =>
  /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address

export const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i

/** Names that some file systems keep for devices; a file of that name cannot be made there. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/

const MOST = 64

/** Makes a slug of any text; `''` where nothing is left, as of a name in another script. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST)
    .replace(/^-+|-+$/g, '')
  return DEVICES.test(slug) ? `${slug}-asset` : slug
}

/** The first slug of these texts, best first, that is not taken; when all are, the first one numbered. */
export function freeSlug(texts: readonly string[], taken: { has(slug: string): boolean }): string {
  const slugs = texts.map(slugOf).filter((slug) => slug !== '')
  const free = slugs.find((slug) => !taken.has(slug))
  if (free !== undefined) return free
  const stem = (slugs[0] ?? 'asset').slice(0, MOST - 6).replace(/-+$/, '')
  for (let number = 2; ; number++) if (!taken.has(`${stem}-${number}`)) return `${stem}-${number}`
}
