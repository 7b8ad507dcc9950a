import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { textAt } from './reader.ts'

/** Path, digest and time of a file. */
export type FileId = Pick<ManifestRow, 'path' | 'sha256' | 'timestamp'>

export type IncomingFiles = ReturnType<typeof incomingFiles>

/** Returns the incoming files in a folder, including those of an interrupted attempt. */
export function incomingFiles(folder: string) {
  const text = (path: string): string | null => textAt(join(folder, path))
  return {
    text,
    holds({ path, sha256 }: FileId): boolean {
      const body = text(path)
      return body !== null && sha256Of(body) === sha256
    },
    /** Writes a file with the time of its data as modification time. */
    put({ path, timestamp }: Pick<FileId, 'path' | 'timestamp'>, body: string | Uint8Array): void {
      const target = join(folder, path)
      mkdirSync(dirname(target), { recursive: true })
      // An earlier attempt may have left a file with other permissions.
      rmSync(target, { recursive: true, force: true })
      writeFileSync(target, body)
      utimesSync(target, new Date(timestamp), new Date(timestamp))
    },
  }
}
