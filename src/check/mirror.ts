import pLimit from 'p-limit'
import { readJson } from '../contract/read-json.ts'
import { hashOf } from '../endpoints/compose.ts'
import { LAYOUT } from '../tree/layout.ts'
import { PublishedIndex, PublishedManifest } from '../tree/published-documents.ts'
import type { TreeReader } from '../tree/reader.ts'

/** A file of a mirror that differs from the manifest. */
export interface Breach {
  readonly path: string
  readonly what: 'missing' | 'different' | 'unreadable'
}

/** The result of a check of a mirror. */
export interface MirrorCheck {
  readonly snapshotId: string | null
  /** SHA-256 of the manifest before this one; null for the first. */
  readonly previous: string | null
  readonly checked: number
  readonly breaches: readonly Breach[]
}

const READS_AT_ONCE = 16
const Index = PublishedIndex.pick({ snapshotId: true, sha256: true })

/** Reads every file of a mirror and compares it with the manifest, and the manifest with the index. */
export async function checkMirror(read: TreeReader): Promise<MirrorCheck> {
  const index = readJson(await read(LAYOUT.index), Index)
  const text = await read(LAYOUT.manifest)
  const manifest = readJson(text, PublishedManifest)
  if (!index || !manifest || text === null) {
    const path = index ? LAYOUT.manifest : LAYOUT.index
    return { snapshotId: null, previous: null, checked: 0, breaches: [{ path, what: 'unreadable' }] }
  }
  const limit = pLimit(READS_AT_ONCE)
  const own: Breach[] = hashOf(text) === index.sha256.manifest ? [] : [{ path: LAYOUT.manifest, what: 'different' }]
  const files = [...manifest.rows, { path: LAYOUT.collector, sha256: index.sha256.collector }]
  const found = await Promise.all(
    files.map(({ path, sha256 }) =>
      limit(async (): Promise<Breach[]> => {
        const held = await read(path)
        if (held === null) return [{ path, what: 'missing' }]
        return hashOf(held) === sha256 ? [] : [{ path, what: 'different' }]
      }),
    ),
  )
  return {
    snapshotId: index.snapshotId,
    previous: manifest.previous,
    checked: files.length + 1,
    breaches: [...own, ...found.flat()],
  }
}
