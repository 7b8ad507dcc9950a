import { API_FOLDER } from './prefix.ts'

/** Number of parts of the manifest: some hundred files each in a tree of 1,000 listings. */
export const MANIFEST_PARTS = 128

const nameOf = (part: number): string => part.toString(16).padStart(2, '0')

/** Names of the parts, in order. */
export const PARTS: readonly string[] = Array.from({ length: MANIFEST_PARTS }, (_, part) => nameOf(part))

/** Returns the part that lists a file: the first seven bits of the SHA-256 of its path. */
export const partOf = (sha256OfPath: string): string => nameOf(Number.parseInt(sha256OfPath.slice(0, 2), 16) >> 1)

const PART = new RegExp(`^${API_FOLDER}/manifest/[0-7][0-9a-f]\\.json$`)

/** Whether a file is a part of the manifest. */
export const isPart = (file: string): boolean => PART.test(file)
