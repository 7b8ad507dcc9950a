import { sha256Of } from '../contract/digest.ts'
import { rowsDigest } from '../endpoints/compose.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { Comparison, Deviation } from './deviation.ts'
import type { PublishedLists } from './file-inspection.ts'
import type { Repair } from './repair.ts'

/**
 * Compares the digests that cover other digests: the manifest with its own rows, and the id of the snapshot in the index with
 * the manifest. Whoever changes a file and its row in the manifest also has to change both, so the id is that of another
 * snapshot, which mirrors, archives and the next manifest contradict.
 */
export function compareChain(
  { index, manifest, manifestText }: PublishedLists & { readonly manifestText: string | null },
  repair: Repair,
  comparison: Comparison,
): void {
  for (const [document, published] of [
    [LAYOUT.index, index],
    [LAYOUT.manifest, manifest],
  ] as const)
    if (published === null)
      comparison.add({
        document,
        member: '',
        published: 'missing or damaged',
        recomputed: 'a document of its schema',
        rule: 'every tree has one',
        advice: repair.ofMissing(document, null),
      })
  if (index === null || manifest === null || manifestText === null) return
  const { rows } = manifest
  const same = (document: string, member: string, values: Pick<Deviation, 'published' | 'recomputed' | 'rule'>) =>
    comparison.same({ document, member }, { ...values, advice: repair.ofDamaged(document) })
  const own = { path: LAYOUT.manifest, sha256: sha256Of(manifestText) }
  same(LAYOUT.index, 'snapshotId', {
    published: index.snapshotId,
    recomputed: rowsDigest([...rows, own]),
    rule: 'digest of the manifest and its rows',
  })
  // The first releases did not write it.
  if (manifest.rowsDigest !== '')
    same(LAYOUT.manifest, 'rowsDigest', {
      published: manifest.rowsDigest,
      recomputed: rowsDigest(rows),
      rule: 'digest of the rows',
    })
  const paths = new Set<string>()
  const twice = rows.find(({ path }) => paths.size === paths.add(path).size)
  same(LAYOUT.manifest, 'rows', { published: twice?.path ?? null, recomputed: null, rule: 'each file once' })
}
