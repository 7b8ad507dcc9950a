import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UsageError } from './usage.ts'

/** The registry that comes with the project. */
export const REGISTRY = fileURLToPath(new URL('../src/registry/assets.json', import.meta.url))

/** What a registry file says as JSON. @throws UsageError when it cannot be read */
export function readRegistry(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${file} cannot be read as a registry: ${why}`, { cause })
  }
}

/** Replaces a registry file in one step. */
export function writeRegistry(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
