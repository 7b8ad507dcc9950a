import { deviationLine } from '../src/check/deviation.ts'
import { checkMirror } from '../src/check/mirror.ts'
import { onOnePublication } from '../src/check/one-publication.ts'
import { type Verification, together, verifyAsset, verifyTree } from '../src/check/verify.ts'
import { API_FOLDER } from '../src/contract/prefix.ts'
import { visible } from '../src/contract/visible.ts'
import { Slug } from '../src/contract/words.ts'
import { csvFiles } from '../src/exports/csv.ts'
import { ndjsonFiles } from '../src/exports/ndjson.ts'
import { readerAt } from '../src/tree/remote.ts'
import { REMOTE, publisherOf, treeReader } from './tree-reader.ts'
import { type Output, declare, seeHelp } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

const MOST_LINES = 50

export const command = declare({
  operands: '[<slug>...]',
  options: {
    all: { type: 'boolean', default: false, about: 'verify every document instead of those of the named assets' },
    manifest: { type: 'string', about: 'folder or base URL of a mirror to compare with its manifest' },
    tree: { type: 'string', default: 'dist', about: 'folder of a tree, base URL of a site or git revision' },
  },
  notes: 'Exit codes: 0 all figures are equal, 2 invalid arguments, 3 some figures differ.',
  async run(values, slugs, output) {
    if (values.manifest !== undefined) return mirror(values.manifest, output)
    if (!values.all && slugs.length === 0) throw new UsageError(`Name an asset, or pass --all. ${seeHelp('verify')}`)
    if (values.all && slugs.length > 0) throw new UsageError('Pass either --all or the slugs of assets, not both.')
    const read = await treeReader(values.tree)
    if (values.all) {
      const { published } = await publisherOf(read)
      const composed = { endpoints: published, attachments: [csvFiles, ndjsonFiles] }
      const verification = await onOnePublication(read, () => verifyTree(read, composed))
      if (!verification)
        throw new UsageError(`${values.tree} was published anew each time it was read. Run this again later.`)
      return report(verification, output)
    }
    const verifications: Verification[] = []
    for (const slug of slugs) {
      if (!Slug.safeParse(slug).success)
        throw new UsageError(`"${slug}" is not a slug. Slugs consist of lower-case letters, digits and single dashes.`)
      const verification = await verifyAsset(read, slug)
      if (!verification)
        throw new UsageError(
          `${values.tree} holds no asset "${slug}". The file names in ${API_FOLDER}/assets are its slugs.`,
        )
      verifications.push(verification)
    }
    return report(together(verifications), output)
  },
})

function report(verification: Verification, output: Output): number {
  const { listings, figures, told, deviations } = verification
  const words = Object.values(told).reduce((total, count) => total + count, 0)
  const more = deviations.length - MOST_LINES
  output.result(verification, () =>
    [
      ...deviations.slice(0, MOST_LINES).map(deviationLine),
      ...(more > 0 ? [`and ${more} more; --json prints them all`] : []),
      ...(words > 0 ? [`${words} figures stand as a source tells them: ${Object.keys(told).join(', ')}`] : []),
      `${figures} figures of ${listings} listings recomputed, ${deviations.length} differ`,
    ].join('\n'),
  )
  return deviations.length === 0 ? EXIT.done : EXIT.refused
}

/** Compares every file of a mirror with its manifest. */
async function mirror(place: string, output: Output): Promise<number> {
  const { snapshotId, previous, checked, breaches } = await checkMirror(readerAt(place, REMOTE))
  output.result({ snapshotId, previous, checked, breaches }, () =>
    [
      ...breaches.map(({ path, what }) => visible(`${path} is ${what}`)),
      `${checked} files checked, ${breaches.length} differ from the manifest; snapshot ${snapshotId ?? 'unknown'}` +
        (previous === null ? '' : `, previous manifest ${previous.slice(0, 16)}`),
    ].join('\n'),
  )
  return breaches.length === 0 ? EXIT.done : EXIT.refused
}
