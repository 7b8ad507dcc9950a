import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { lock } from '../src/core/tree/lock.ts'
import { openTree } from '../src/core/tree/tree.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { BRANCH_FORM, type Branch, branchOf } from '../src/delivery/git.ts'
import { bucketAddress, s3Store } from '../src/delivery/s3.ts'
import { type Output, TREE, UsageError, declare, seeHelp, text } from './command.ts'
import { environment, gitEnvironment } from './environment.ts'
import { settingsWith } from './settings.ts'

const BUCKET_FORM = 's3://<bucket>[/<prefix>]'

export const command = declare({
  options: {
    tree: TREE,
    to: text(
      `${BUCKET_FORM}: upload the changed files, the index last. ${BRANCH_FORM}: commit the facts to a branch, one per line, if any of them changed`,
    ),
  },
  notes: `A bucket takes its credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Set S3_ENDPOINT for a provider other than
AWS, and AWS_REGION for a region other than us-east-1 there.
Exit codes: 0 published, 2 wrong usage, 3 the bucket or the repository refused, or the tree is not complete.`,
  async run({ tree, to = '' }, _, output) {
    const [branch, bucket] = [branchOf(to), bucketAddress(to)]
    if ((branch ?? bucket) !== null && !existsSync(tree))
      throw new UsageError(`${tree} does not exist. Run npm run snapshot first.`)
    if (branch) await committed(resolve(tree), branch, output)
    else if (bucket) await uploaded(resolve(tree), bucket, output)
    else throw new UsageError(`--to takes ${BUCKET_FORM} or ${BRANCH_FORM}. ${seeHelp('publish')}`)
  },
})

async function uploaded(root: string, address: NonNullable<ReturnType<typeof bucketAddress>>, output: Output) {
  const set = environment()
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = set
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may write to the bucket.')
  const place = { endpoint: set.S3_ENDPOINT, region: set.AWS_REGION, sessionToken: set.AWS_SESSION_TOKEN }
  const store = s3Store(address, { ...place, accessKeyId, secretAccessKey })
  // The lock keeps builds from changing the tree. Opening it completes an interrupted publication.
  const unlock = lock(root, Date.now())
  try {
    openTree(root)
    const result = await publishTo(store, root)
    const { uploaded, unchanged, removed, bytes } = result
    const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`
    output.result(
      result,
      () => `${store.name}: ${uploaded} objects uploaded (${size}), ${unchanged} unchanged, ${removed} removed.`,
    )
  } finally {
    unlock()
  }
}

async function committed(root: string, to: Branch, output: Output) {
  const { product } = (await settingsWith()).config
  const author = `${product} <quotetree@users.noreply.github.com>`
  const report = await commitData(root, to, author, gitEnvironment())
  const { subject, changed } = report
  output.result(report, () => (subject === null ? 'No fact changed.' : `${subject} (${changed} files)`))
}
