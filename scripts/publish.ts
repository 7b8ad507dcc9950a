import { resolve } from 'node:path'
import { publishTo } from '../src/delivery/bucket.ts'
import { addressOf, s3Store } from '../src/delivery/s3.ts'
import { lock } from '../src/tree/lock.ts'
import { refuseForeign } from '../src/tree/own-files.ts'
import { Tree } from '../src/tree/tree.ts'
import { environment } from './environment.ts'
import { declare, seeHelp } from './command.ts'
import { publisherAt } from './tree-reader.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  operands: 's3://<bucket>[/<prefix>]',
  options: {
    tree: { type: 'string', default: 'dist', about: 'folder of the tree' },
    'no-gzip': { type: 'boolean', default: false, about: 'store uncompressed bodies, for a CDN that compresses them' },
    'json-only': {
      type: 'boolean',
      default: false,
      about: 'leave out keys without .json, for stores that map keys to files and folders',
    },
  },
  notes: `Set S3_ENDPOINT for a provider other than AWS. Credentials are read by the AWS SDK, for example from AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY.`,
  async run(values, positionals, output) {
    const [target, ...more] = positionals
    const address = target === undefined || more.length > 0 ? null : addressOf(target)
    if (!address) throw new UsageError(`Name one target, such as s3://bucket/prefix. ${seeHelp('publish')}`)
    const { S3_ENDPOINT, AWS_REGION } = environment()
    const store = await s3Store(address, { endpoint: S3_ENDPOINT ?? null, region: AWS_REGION ?? null })

    const root = resolve(values.tree)
    refuseForeign(root)
    // The lock keeps builds from changing the tree. Opening it completes an interrupted publication.
    const unlock = lock(root, Date.now())
    try {
      const tree = new Tree(root)
      const layout = { gzip: !values['no-gzip'], paths: !values['json-only'] }
      const result = await publishTo(store, { root: tree.root, endpoints: publisherAt(tree.root).published }, layout)
      const { uploaded, unchanged, removed, bytes, resumed } = result
      output.result(
        result,
        () =>
          `${store.name}: ${uploaded} objects uploaded (${(bytes / 2 ** 20).toFixed(1)} MiB), ${unchanged} unchanged, ` +
          `${removed} removed${resumed ? '; resumed an interrupted publication' : ''}.`,
      )
    } finally {
      unlock()
    }
    return EXIT.done
  },
})
