import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { excerpt } from '../contract/visible.ts'
import { AssetFile } from './asset-file.ts'

/** A registry is invalid. The message names the entry, the member and the problem. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

/** Folder of the assets that come with the project, one file each. */
export const ASSETS = fileURLToPath(new URL('./assets/', import.meta.url))

/** Returns the assets that come with the project, by slug. @throws RegistryError if a file is no JSON */
export const builtInAssets = (): readonly unknown[] => entriesIn(ASSETS)

/** Returns the entries of the files in a folder, by their names. @throws RegistryError if one is no JSON */
export const entriesIn = (folder: string): readonly unknown[] => assetsIn(folder).map(complete)

/** Returns what the JSON files of a folder say, by their names. @throws RegistryError if one is no JSON */
export const assetsIn = (folder: string): readonly unknown[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .toSorted()
        .map((name) => jsonAt(join(folder, name)))
    : []

function jsonAt(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new RegistryError(`${file}: ${excerpt(cause instanceof Error ? cause.message : String(cause))}`, { cause })
  }
}

/** Returns an entry with its defaults, or as it is if it is invalid, so that the registry says why. */
export function complete(value: unknown): unknown {
  const result = AssetFile.safeParse(value)
  return result.success ? result.data : value
}
