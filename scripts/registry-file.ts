import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SharedRegistry } from '../src/requests/approve.ts'
import type { Entry, RegistryOptions } from '../src/registry/registry.ts'
import { ASSETS, builtInAssets, entriesIn, entriesOf } from '../src/registry/asset-files.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { isBuiltIn } from '../src/contract/product.ts'
import { lock } from '../src/tree/lock.ts'
import { TreeError } from '../src/tree/tree-error.ts'
import { CONFIG_FILE } from './config-file.ts'
import type { Settings } from './settings.ts'
import { UsageError } from './usage.ts'

/** Returns the entries of a registry: a folder with a file an asset, or a file with a list. @throws UsageError */
function readRegistry(place: string): unknown {
  try {
    return statSync(place).isDirectory() ? entriesIn(place) : JSON.parse(readFileSync(place, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`Cannot read the registry ${place}: ${why}`, { cause })
  }
}

/** Returns the registry that a run uses: one that is named, else the built-in assets and the publisher's own. */
export function registryOf({ config, file: configFile }: Settings, place?: string): RegistryOptions {
  if (place !== undefined) return { assets: readRegistry(place), file: place }
  const { registry, ecosystem } = config
  const folder = ownFolder(config, configFile)
  const own = folder === null ? (typeof registry === 'object' ? (registry ?? []) : []) : entriesIn(folder)
  if (own.length === 0 && isBuiltIn(ecosystem)) return {}
  return { assets: entriesOf(own, ecosystem), file: typeof registry === 'string' ? registry : CONFIG_FILE }
}

/** Returns the folder of the publisher's own assets; null: there is none. @throws ConfigError if it does not exist */
function ownFolder({ registry }: Settings['config'], configFile: string | null): string | null {
  if (typeof registry !== 'string') return null
  const folder = resolve(configFile === null ? '.' : dirname(configFile), registry)
  if (existsSync(folder)) return folder
  throw new ConfigError(`registry: there is no folder ${relative('.', folder)}.`)
}

export type ReviewedRegistry = ReturnType<typeof reviewedRegistry>

/**
 * Returns the folder where approved assets are written, a file an asset: one that is named, else the publisher's own, else
 * that of the project; and the entries of the whole registry.
 */
export function reviewedRegistry(settings: Settings, place: string | undefined) {
  if (place !== undefined) {
    if (!existsSync(place) || !statSync(place).isDirectory())
      throw new UsageError(`There is no folder ${place}. A registry is a folder with a file an asset.`)
    return { folder: place, entries: () => entriesIn(place) }
  }
  const entries = () => {
    const { assets } = registryOf(settings)
    return Array.isArray(assets) ? assets : builtInAssets()
  }
  return { folder: ownFolder(settings.config, settings.file) ?? ASSETS.replace(/\/$/, ''), entries }
}

/** Wait for another reviewer's write: 8 s in total. A write takes milliseconds. */
const [ATTEMPTS, WAIT_MS] = [80, 100]

/** Locks a folder, as soon as another reviewer has changed it. Returns what unlocks it. */
async function lockedFolder(folder: string): Promise<() => void> {
  for (let attempt = 1; ; attempt++)
    try {
      return lock(folder, Date.now())
    } catch (error) {
      if (!(error instanceof TreeError) || error.reason !== 'locked' || attempt === ATTEMPTS) throw error
      // oxlint-disable-next-line no-await-in-loop -- the next attempt is after it
      await sleep(WAIT_MS)
    }
}

/** A registry on this disk, changed under a lock. */
export function folderRegistry({ folder, entries }: ReviewedRegistry): SharedRegistry {
  const fileOf = ({ slug }: Entry) => join(folder, `${slug}.json`)
  return {
    name: relative('.', folder),
    entries,
    async exclusively(work) {
      const release = await lockedFolder(folder)
      try {
        return await work()
      } finally {
        release()
      }
    },
    put(asset, text) {
      writeFileSync(`${fileOf(asset)}.new`, text)
      renameSync(`${fileOf(asset)}.new`, fileOf(asset))
    },
    remove: (asset) => rmSync(fileOf(asset)),
  }
}
