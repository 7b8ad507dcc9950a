import { createHash, type Hash } from 'node:crypto'

export const sha256Of = (content: string | Uint8Array): string => hashing().update(content).digest('hex')

export const hashing = (): Hash => createHash('sha256')

/** Returns the MD5 of bytes in hexadecimal, which S3 uses as the ETag of an object. */
export const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

export const blobOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
