import { createHash, type Hash } from 'node:crypto'

/** Returns the SHA-256 of a text in UTF-8, or of bytes, in hexadecimal. */
export const sha256Of = (content: string | Uint8Array): string => hashing().update(content).digest('hex')

/** Starts a SHA-256 of content that comes in parts. */
export const hashing = (): Hash => createHash('sha256')

/** Returns the MD5 of bytes in hexadecimal, which S3 uses as the ETag of an object. */
export const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** Returns the id of a text as git stores it. */
export const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
