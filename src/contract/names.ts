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

/** An EVM address: 20 bytes in hexadecimal. */
export const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i
