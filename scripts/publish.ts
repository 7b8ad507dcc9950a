import { resolve } from 'node:path'
import { publishTo } from '../src/delivery/bucket.ts'
import { addressOf, s3Store } from '../src/delivery/s3.ts'
import { published } from '../src/endpoints/table.ts'
import { lock } from '../src/tree/lock.ts'
import { Tree } from '../src/tree/tree.ts'
import { environment } from './environment.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run publish -- s3://<bucket>[/<prefix>] [options]
Uploads the changed files of a tree to an S3-compatible bucket, the index last. Set S3_ENDPOINT for a provider other than
AWS. Credentials are read by the AWS SDK, for example from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.

  --tree             folder of the tree, dist by default
  --no-gzip          store uncompressed bodies, for a CDN that compresses them
  --json-only        leave out keys without .json, for stores that map keys to files and folders
  --json             print the result as JSON`

await main(async () => {
  const { values, positionals } = parsed('publish', {
    allowPositionals: true,
    options: {
      tree: { type: 'string', default: 'dist' },
      'no-gzip': { type: 'boolean', default: false },
      'json-only': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  const [target, ...more] = positionals
  const address = target === undefined || more.length > 0 ? null : addressOf(target)
  if (!address) throw new UsageError(`Name one target, such as s3://bucket/prefix.\n\n${HELP}`)
  const { S3_ENDPOINT, AWS_REGION } = environment()
  const store = await s3Store(address, { endpoint: S3_ENDPOINT ?? null, region: AWS_REGION ?? null })

  const root = resolve(values.tree)
  // The lock keeps builds from changing the tree. Opening it completes an interrupted publication.
  const unlock = lock(root, Date.now())
  try {
    const tree = new Tree(root)
    const layout = { gzip: !values['no-gzip'], paths: !values['json-only'] }
    const result = await publishTo(store, { root: tree.root, endpoints: published }, layout)
    const { uploaded, unchanged, removed, bytes, resumed } = result
    print(
      values.json
        ? JSON.stringify(result, null, 2)
        : `${store.name}: ${uploaded} objects uploaded (${(bytes / 2 ** 20).toFixed(1)} MiB), ${unchanged} unchanged, ` +
            `${removed} removed${resumed ? '; resumed an interrupted publication' : ''}.`,
    )
  } finally {
    unlock()
  }
  return EXIT.done
})
