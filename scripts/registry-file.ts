import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { ConfigError } from '../src/config/config-error.ts'
import { ASSETS, entriesOfFolder, entriesOf } from '../src/core/registry/asset-files.ts'
import { openRegistry } from '../src/core/registry/registry.ts'
import type { RegistryFiles } from '../src/requests/accept.ts'
import { CONFIG_FILE } from './config-file.ts'
import type { Settings } from './settings.ts'

export function registryOf(settings: Settings) {
  const { registry, ecosystem } = settings.config
  const own = typeof registry === 'string' ? entriesOfFolder(reviewedFolder(settings)) : (registry ?? [])
  const file = own.length === 0 ? relative('.', ASSETS) : typeof registry === 'string' ? registry : CONFIG_FILE
  return { assets: entriesOf(own, ecosystem), file }
}

/** Returns the folder of reviewed assets: the publisher's own, else that of the project. @throws ConfigError if it does not exist */
export function reviewedFolder({ config: { registry }, file }: Settings): string {
  if (typeof registry !== 'string') return resolve(ASSETS)
  const folder = resolve(file === null ? '.' : dirname(file), registry)
  if (existsSync(folder)) return folder
  throw new ConfigError(`registry: there is no folder ${relative('.', folder)}.`)
}

export function folderRegistry(folder: string, entries: () => readonly unknown[]): RegistryFiles {
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
      const descriptor = openSync(folder, 'r')
      fsyncSync(descriptor)
      closeSync(descriptor)
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
