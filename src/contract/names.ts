/**
 * `$michi` -> MICHI, `USDC.e` -> USDCE: what is typed in place of a symbol, in a form that can stand in every address.
 * Symbols that differ in signs or case only share it, and the answer says so; one without a Latin letter or digit has none.
 */
export const symbolKey = (symbol: string): string =>
  symbol
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, 64)

/** An address as it is compared: hexadecimal ones, whose capitals are a checksum, in small letters; others as they are. */
export const foldedAddress = (address: string): string =>
  /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address

/** An account of an EVM chain: 20 bytes in hexadecimal. */
export const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i
