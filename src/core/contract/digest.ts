import { createHash, hash, type Hash } from 'node:crypto'

export const sha256Of = (content: string | Uint8Array): string => hash('sha256', content)

export const hashing = (): Hash => createHash('sha256')

/** Returns the MD5 of bytes in hexadecimal, which S3 uses as the ETag of an object. */
export const md5Of = (bytes: Uint8Array): string => hash('md5', bytes)

export const blobOf = (text: string): string => hash('sha1', `blob ${Buffer.byteLength(text)}\0${text}`)
