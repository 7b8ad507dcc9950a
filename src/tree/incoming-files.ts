import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { textAt } from './reader.ts'

/** Path, digest and time of a file. */
export type FileId = Pick<ManifestRow, 'path' | 'sha256' | 'timestamp'>

/** The files of a restore, collected in their own folder until all are complete. */
export interface IncomingFiles {
  /** Whether the file exists with this digest. */
  holds(file: FileId): boolean
  text(path: string): string | null
  /** Writes a file with the time of its data as modification time. */
  put(file: Pick<FileId, 'path' | 'timestamp'>, content: string | Uint8Array): void
}

/** Returns the incoming files in a folder, including those of an interrupted attempt. */
export function incomingFiles(folder: string): IncomingFiles {
  const text = (path: string): string | null => textAt(join(folder, path))
  return {
    text,
    holds({ path, sha256 }) {
      const body = text(path)
      return body !== null && sha256Of(body) === sha256
    },
    put({ path, timestamp }, body) {
      const target = join(folder, path)
      mkdirSync(dirname(target), { recursive: true })
      // An earlier attempt may have left a file with other permissions.
      rmSync(target, { recursive: true, force: true })
      writeFileSync(target, body)
      utimesSync(target, new Date(timestamp), new Date(timestamp))
    },
  }
}
