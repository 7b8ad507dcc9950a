import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import lockfile from 'proper-lockfile'
import type { RegistryFile } from '../src/review/approve.ts'
import type { RegistryOptions } from '../src/registry/registry.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { isBuiltIn } from '../src/contract/product.ts'
import { entriesOf } from '../src/registry/own-entry.ts'
import { CONFIG_FILE, type Settings } from './settings.ts'
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

/** Folder of the assets that people add to the project, one file each. */
const SHARED = fileURLToPath(new URL('../src/registry/assets/', import.meta.url))

/** Returns the registry that a run uses: a file if one is named, else the built-in assets and the publisher's own. */
export function registryOf({ config, file: configFile }: Settings, file: string | null = null): RegistryOptions {
  if (file !== null) return { assets: readRegistry(file), file }
  const shared = assetsIn(SHARED)
  const { registry, ecosystem } = config
  const place = typeof registry === 'string' ? resolve(configFile === null ? '.' : dirname(configFile), registry) : null
  if (place !== null && !existsSync(place))
    throw new ConfigError(`registry: there is no folder ${relative('.', place)}.`)
  const own = typeof registry === 'object' ? (registry ?? []) : place === null ? [] : assetsIn(place)
  if (shared.length === 0 && own.length === 0 && isBuiltIn(ecosystem)) return {}
  return { assets: entriesOf({ shared, own }, ecosystem), file: typeof registry === 'string' ? registry : CONFIG_FILE }
}

/** Returns the assets in a folder, by the names of their files. */
export const assetsIn = (folder: string): readonly unknown[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .toSorted()
        .map((name) => readRegistry(join(folder, name)))
    : []

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
