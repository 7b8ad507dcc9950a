import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { excerpt } from '../contract/visible.ts'
import { type Ecosystem, isBuiltIn } from '../contract/product.ts'

/** A registry is invalid. The message names the entry, the member and the problem. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

export const ASSETS = fileURLToPath(new URL('./assets/', import.meta.url))

export const builtInAssets = (): readonly unknown[] => entriesOfFolder(ASSETS)

export const entriesOfFolder = (folder: string): readonly unknown[] =>
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

const Slugged = z.looseObject({ slug: z.string() })
export const ownSlugOf = (entry: unknown): string | null => Slugged.safeParse(entry).data?.slug ?? null
const Member = z.looseObject({ ecosystem: z.looseObject({}) })

/** The built-in entries, and the publisher's, which replace others. Under another name the ecosystem is his alone. */
export function entriesOf(own: readonly unknown[], ecosystem: Ecosystem): readonly unknown[] {
  const mine = own.map(asOwn)
  const slugs = new Set(mine.map(ownSlugOf))
  const isKept = (entry: unknown) =>
    !slugs.has(ownSlugOf(entry)) && (isBuiltIn(ecosystem) || !Member.safeParse(entry).success)
  return [...builtInAssets().filter(isKept), ...mine]
}

const asOwn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? { ecosystem: { role: null, protocol: null }, ...value } : value
