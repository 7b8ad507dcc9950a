import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedFile } from './bundle.ts'

/**
 * Writes a file under its name at once, by a rename: a reader never sees a part of it. The same bytes have the same name,
 * so writing them again changes nothing.
 */
export function writeWhole(folder: string, { name, bytes }: NamedFile): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  const draft = join(folder, `.${name}.${process.pid}`)
  try {
    writeFileSync(draft, bytes)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return path
}
