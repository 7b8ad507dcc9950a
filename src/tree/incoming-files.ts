import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ManifestRow } from '../contract/manifest.ts'
import { hashOf } from '../endpoints/compose.ts'
import { textAt } from './reader.ts'

/** What tells a file's content. */
export type FileId = Pick<ManifestRow, 'path' | 'sha256' | 'timestamp'>

/** Files on their way into a tree, in a folder of their own until the last of them is there. */
export interface IncomingFiles {
  /** Whether a file is there with just this content. */
  holds(file: FileId): boolean
  text(path: string): string | null
  /** Writes a file, with the time of its data. */
  put(file: FileId, text: string): void
}

/** The files in a folder; those of an earlier attempt are found again. */
export function incomingFiles(folder: string): IncomingFiles {
  const text = (path: string): string | null => textAt(join(folder, path))
  return {
    text,
    holds({ path, sha256 }) {
      const standing = text(path)
      return standing !== null && hashOf(standing) === sha256
    },
    put({ path, timestamp }, body) {
      const target = join(folder, path)
      mkdirSync(dirname(target), { recursive: true })
      // Another file may have been written here by an earlier attempt, under other permissions.
      rmSync(target, { recursive: true, force: true })
      writeFileSync(target, body)
      utimesSync(target, new Date(timestamp), new Date(timestamp))
    },
  }
}
