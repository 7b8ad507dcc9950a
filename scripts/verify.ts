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
import { print } from './terminal.ts'
import { REMOTE, publisherOf, treeReader } from './tree-reader.ts'
import { declare, seeHelp } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

const MOST_LINES = 50

export const command = declare({
  operands: '[<slug>...]',
  options: {
    all: { type: 'boolean', default: false, about: 'verify every document instead of those of the named assets' },
    manifest: { type: 'string', about: 'folder or base URL of a mirror to compare with its manifest' },
    tree: { type: 'string', default: 'dist', about: 'folder of a tree, base URL of a site or git revision' },
    json: { type: 'boolean', default: false, about: 'print the result as JSON' },
  },
  notes: 'Exit codes: 0 all figures are equal, 2 invalid arguments, 3 some figures differ.',
  async run(values, slugs) {
    if (values.manifest !== undefined) return mirror(values.manifest)
    if (!values.all && slugs.length === 0) throw new UsageError(`Name an asset, or pass --all. ${seeHelp('verify')}`)
    if (values.all && slugs.length > 0) throw new UsageError('Pass either --all or the slugs of assets, not both.')
    const read = await treeReader(values.tree)
    if (values.all) {
      const { published } = await publisherOf(read)
      const composed = { endpoints: published, attachments: [csvFiles, ndjsonFiles] }
      const verification = await onOnePublication(read, () => verifyTree(read, composed))
      if (!verification)
        throw new UsageError(`${values.tree} was published anew each time it was read. Run this again later.`)
      return report(verification, values.json)
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
    return report(together(verifications), values.json)
  },
})

function report(verification: Verification, json: boolean): number {
  const { listings, figures, told, deviations } = verification
  if (json) print(JSON.stringify(verification, null, 2))
  else {
    for (const deviation of deviations.slice(0, MOST_LINES)) print(deviationLine(deviation))
    if (deviations.length > MOST_LINES) print(`and ${deviations.length - MOST_LINES} more; --json prints them all`)
    const words = Object.values(told).reduce((total, count) => total + count, 0)
    if (words > 0) print(`${words} figures stand as a source tells them: ${Object.keys(told).join(', ')}`)
    print(`${figures} figures of ${listings} listings recomputed, ${deviations.length} differ`)
  }
  return deviations.length === 0 ? EXIT.done : EXIT.refused
}

/** Compares every file of a mirror with its manifest. */
async function mirror(place: string): Promise<number> {
  const { snapshotId, previous, checked, breaches } = await checkMirror(readerAt(place, REMOTE))
  for (const { path, what } of breaches) print(visible(`${path} is ${what}`))
  print(
    `${checked} files checked, ${breaches.length} differ from the manifest; snapshot ${snapshotId ?? 'unknown'}` +
      (previous === null ? '' : `, previous manifest ${previous.slice(0, 16)}`),
  )
  return breaches.length === 0 ? EXIT.done : EXIT.refused
}
