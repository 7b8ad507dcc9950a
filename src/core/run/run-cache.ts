import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { ensured } from '../contract/order.ts'
import { readJson } from '../contract/read-json.ts'
import type { KeptBodies } from '../sources/slow-lists.ts'
import { textAt } from '../tree/reader.ts'

/**
 * Folder of what a run keeps for the next one and does not publish: upstream lists are not ours to hand on. It is outside the
 * tree, because a plain file host serves whatever is in one. Lost, it costs requests or time, and no data.
 */
export const privateFolder = (root: string): string =>
  join(dirname(resolve(root)), '.quotetree', basename(resolve(root)))

const fileFor = (root: string, name: string): string => join(privateFolder(root), `${name}.json`)

/** Returns a kept value; null where there is none, or it cannot be read. */
export const readKept = <Schema extends z.ZodType>(root: string, name: string, schema: Schema) =>
  readJson(textAt(fileFor(root, name)), schema)

/** Keeps a value for the next run, atomically by a rename. */
export function writeKept(root: string, name: string, value: unknown): void {
  const path = fileFor(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`)
  renameSync(`${path}.new`, path)
}

export const dropKept = (root: string, name: string): void => rmSync(fileFor(root, name), { force: true })

const Refused = z.object({ at: z.number(), message: z.string() })
const Bodies = z.record(
  z.string(),
  z.object({ at: z.number().nullable(), body: z.unknown(), refused: Refused.optional() }),
)

/** The slow lists of the sources of a run: read when first asked for, written where they changed. */
export function keptLists(root: string) {
  const lists = new Map<string, { readonly before: string; readonly bodies: KeptBodies }>()
  return {
    of: (source_id: string): KeptBodies =>
      ensured(lists, source_id, () => {
        const bodies: KeptBodies = new Map(Object.entries(readKept(root, `lists-${source_id}`, Bodies) ?? {}))
        return { before: agesOf(bodies), bodies }
      }).bodies,
    save(): void {
      for (const [source_id, { before, bodies }] of lists)
        if (agesOf(bodies) !== before) writeKept(root, `lists-${source_id}`, Object.fromEntries(bodies))
    },
  }
}

const agesOf = (bodies: KeptBodies): string =>
  JSON.stringify([...bodies].map(([path, { at, refused }]) => [path, at, refused]))
