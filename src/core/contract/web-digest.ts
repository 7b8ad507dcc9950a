import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

const hex = (bytes: ArrayBuffer): string => bytesToHex(new Uint8Array(bytes))

export const sha256 = async (content: string | Uint8Array<ArrayBuffer>): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', typeof content === 'string' ? utf8ToBytes(content) : content))

/** Returns the HMAC-SHA-256 of a text: without the secret, guesses of an IP address or a body cannot be tested. */
export async function keyedDigest(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8ToBytes(secret), algorithm, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, utf8ToBytes(text)))
}
