import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { EVM_ADDRESS } from '../contract/names.ts'

/** Returns an address with its checksum in the letter case: EIP-55, https://eips.ethereum.org/EIPS/eip-55. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  return `0x${[...digits].map((digit, at) => (Number.parseInt(hash[at] ?? '0', 16) > 7 ? digit.toUpperCase() : digit)).join('')}`
}

export const hasWrongChecksum = (address: string): boolean =>
  EVM_ADDRESS.test(address) &&
  /[a-f]/.test(address.slice(2)) &&
  /[A-F]/.test(address.slice(2)) &&
  checksummed(address) !== address
