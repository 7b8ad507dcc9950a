import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import type { KeptBodies } from '../sources/slow-lists.ts'
import { CHECKPOINT } from '../tree/layout.ts'
import { textAt } from '../tree/reader.ts'

/**
 * What a run keeps for the next one and does not publish: upstream lists are not ours to hand on. It lies beside the
 * checkpoint, so that a machine that is thrown away keeps it too; lost, it costs requests or time, and no data. No
 * server serves dot files.
 */
const fileFor = (name: string): string => `${CHECKPOINT.folder}/.${name}.json`

/** Returns a kept value; null where there is none, or it cannot be read. */
export const readKept = <Schema extends z.ZodType>(root: string, name: string, schema: Schema) =>
  readJson(textAt(join(root, fileFor(name))), schema)

/** Keeps a value for the next run, atomically by a rename. */
export function writeKept(root: string, name: string, value: unknown): void {
  const path = join(root, fileFor(name))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`)
  renameSync(`${path}.new`, path)
}

/** Drops a kept value. */
export const dropKept = (root: string, name: string): void => rmSync(join(root, fileFor(name)), { force: true })

const Refused = z.object({ at: z.number(), message: z.string() })
const Bodies = z.record(
  z.string(),
  z.object({ at: z.number().nullable(), body: z.unknown(), refused: Refused.optional() }),
)

/** The slow lists of the sources of a run: read when first asked for, written where they changed. */
export function keptLists(root: string) {
  const lists = new Map<string, { readonly before: string; readonly bodies: KeptBodies }>()
  return {
    of(source_id: string): KeptBodies {
      const known = lists.get(source_id)
      if (known) return known.bodies
      const bodies: KeptBodies = new Map(Object.entries(readKept(root, `lists-${source_id}`, Bodies) ?? {}))
      lists.set(source_id, { before: agesOf(bodies), bodies })
      return bodies
    },
    save(): void {
      for (const [source_id, { before, bodies }] of lists)
        if (agesOf(bodies) !== before) writeKept(root, `lists-${source_id}`, Object.fromEntries(bodies))
    },
  }
}

const agesOf = (bodies: KeptBodies): string =>
  JSON.stringify([...bodies].map(([path, { at, refused }]) => [path, at, refused]))
