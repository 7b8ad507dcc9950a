import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import lockfile from 'proper-lockfile'
import type { RegistryFile } from '../src/review/approve.ts'
import type { RegistryOptions } from '../src/registry/registry.ts'
import type { Settings } from './settings.ts'
import { UsageError } from './usage.ts'

/** Path of the built-in registry. */
export const REGISTRY = fileURLToPath(new URL('../src/registry/assets.json', import.meta.url))

/** Returns the JSON of a registry file. @throws UsageError if it cannot be read */
export function readRegistry(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`Cannot read the registry ${file}: ${why}`, { cause })
  }
}

/** Returns the registry that a run uses: a file if one is named, else the built-in one. */
export const registryOf = (_: Settings, file: string | null): RegistryOptions =>
  file === null ? {} : { assets: readRegistry(file), file }

/** Wait for another reviewer's write: 50 retries, about 8 s in total. A write takes milliseconds. */
const RETRIES = { retries: 50, minTimeout: 20, maxTimeout: 200 }

/** A registry file that is changed under a lock, the folder `<file>.lock`. A lock is stale 10 s after its process ended. */
export const registryFile = (file: string): RegistryFile => ({
  name: relative('.', file),
  read: () => readFileSync(file, 'utf8'),
  async exclusively(work) {
    const release = await lockfile.lock(file, { retries: RETRIES }).catch((cause: unknown) => {
      throw new UsageError(`${file} is being changed by another reviewer. Try again, or delete ${file}.lock.`, {
        cause,
      })
    })
    try {
      return await work((text) => {
        writeFileSync(`${file}.new`, text)
        renameSync(`${file}.new`, file)
      })
    } finally {
      await release()
    }
  },
})
