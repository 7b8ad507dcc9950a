import pLimit from 'p-limit'
import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { PREFIX } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import type { Elsewhere } from '../tree/remote.ts'

/** What is wrong with a mirror: a file, and what about it. */
export interface Breach {
  readonly path: string
  readonly what: 'missing' | 'different' | 'unreadable'
}

/** What a check of a mirror found. */
export interface MirrorCheck {
  readonly snapshotId: string | null
  /** SHA-256 of the manifest before this one; null for the first. */
  readonly previous: string | null
  readonly checked: number
  readonly breaches: readonly Breach[]
}

const API = PREFIX.slice(1)
const MANIFEST = `${API}/manifest.json`
const READS_AT_ONCE = 16
const LARGEST = 256 * 2 ** 20

const Index = z.object({ sha256: IndexMembers.sha256 })
const Manifest = z.object({
  snapshotId: z.string(),
  previous: z.string().nullable().default(null),
  rows: z.array(ManifestRow),
})

/** Holds every file of a mirror against its manifest, and the manifest against the index. Reads everything. */
export async function checkMirror(read: Elsewhere): Promise<MirrorCheck> {
  const index = parsed(await read(`${API}.json`, LARGEST), Index)
  const text = await read(MANIFEST, LARGEST)
  const manifest = parsed(text, Manifest)
  if (!index || !manifest || text === null) {
    const path = index ? MANIFEST : `${API}.json`
    return { snapshotId: null, previous: null, checked: 0, breaches: [{ path, what: 'unreadable' }] }
  }
  const limit = pLimit(READS_AT_ONCE)
  const own: Breach[] = hashOf(text) === index.sha256.manifest ? [] : [{ path: MANIFEST, what: 'different' }]
  const files = [...manifest.rows, { path: `${API}/collector.json`, sha256: index.sha256.collector }]
  const found = await Promise.all(
    files.map(({ path, sha256 }) =>
      limit(async (): Promise<Breach[]> => {
        const held = await read(path, LARGEST)
        if (held === null) return [{ path, what: 'missing' }]
        return hashOf(held) === sha256 ? [] : [{ path, what: 'different' }]
      }),
    ),
  )
  const { snapshotId, previous } = manifest
  return { snapshotId, previous, checked: files.length + 1, breaches: [...own, ...found.flat()] }
}

function parsed<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | null {
  try {
    return schema.parse(JSON.parse(text ?? 'null'))
  } catch {
    // Named as unreadable by the caller.
    return null
  }
}
