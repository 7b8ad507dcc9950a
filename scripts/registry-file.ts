import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { RegistryFiles } from '../src/requests/accept.ts'
import { type RegistryOptions, openRegistry } from '../src/core/registry/registry.ts'
import { ASSETS, builtInAssets, entriesIn, entriesOf } from '../src/core/registry/asset-files.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { isBuiltIn } from '../src/core/contract/product.ts'
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

/** The files of a registry on this disk. */
export function folderRegistry({ folder, entries }: ReviewedRegistry): RegistryFiles {
  const fileOf = (slug: string) => join(folder, `${slug}.json`)
  const remove = (slug: string) => rmSync(fileOf(slug))
  return {
    name: relative('.', folder),
    entries,
    add(slug, text) {
      const draft = `${fileOf(slug)}.${process.pid}`
      try {
        writeFileSync(draft, text, { flush: true })
        linkSync(draft, fileOf(slug))
      } finally {
        rmSync(draft, { force: true })
      }
      flushFolder(folder)
      try {
        openRegistry({ assets: entries(), file: folder })
      } catch (error) {
        remove(slug)
        throw error
      }
    },
    remove,
  }
}

function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
