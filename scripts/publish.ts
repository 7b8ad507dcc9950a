import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { BRANCH_FORM, type Branch, branchOf } from '../src/delivery/git.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { addressOf, s3Store } from '../src/delivery/s3.ts'
import { lock } from '../src/core/tree/lock.ts'
import { openTree } from '../src/core/tree/tree.ts'
import { type Output, type Parsed, TREE, declare, seeHelp, text } from './command.ts'
import { environment, gitEnvironment } from './environment.ts'
import { settingsWith } from './settings.ts'
import { EXIT, UsageError } from './usage.ts'

const BUCKET_FORM = 's3://<bucket>[/<prefix>]'

const OPTIONS = {
  tree: TREE,
  to: text(
    `${BUCKET_FORM}: upload the changed files, the index last. ${BRANCH_FORM}: commit the facts to a branch, one per line, if any of them changed`,
  ),
  author: text('branch: author of the commits, "<product> <quotetree@users.noreply.github.com>" by default'),
} as const

type CommandOptions = Parsed<typeof OPTIONS>['values']

export const command = declare({
  options: OPTIONS,
  notes: `A bucket takes its credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Set S3_ENDPOINT for a provider other than
AWS, and AWS_REGION for a region other than us-east-1 there.`,
  async run(given, _, output) {
    const { to } = given
    const [branch, bucket] = to === undefined ? [null, null] : [branchOf(to), addressOf(to)]
    if ((branch ?? bucket) === null)
      throw new UsageError(`--to takes ${BUCKET_FORM} or ${BRANCH_FORM}. ${seeHelp('publish')}`)
    const root = resolve(given.tree)
    if (bucket) {
      // The lock keeps builds from changing the tree. Opening it completes an interrupted publication.
      const unlock = lock(root, Date.now())
      try {
        openTree(root)
        await uploaded(root, bucket, output)
      } finally {
        unlock()
      }
    }
    if (branch) await committed(root, branch, given, output)
    return EXIT.done
  },
})

async function uploaded(
  root: string,
  address: NonNullable<ReturnType<typeof addressOf>>,
  output: Output,
): Promise<void> {
  const set = environment()
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = set
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may write to the bucket.')
  const place = { endpoint: set.S3_ENDPOINT, region: set.AWS_REGION, sessionToken: set.AWS_SESSION_TOKEN }
  const store = s3Store(address, { ...place, accessKeyId, secretAccessKey })
  const result = await publishTo(store, root)
  const { uploaded, unchanged, removed, bytes } = result
  output.result(
    result,
    () =>
      `${store.name}: ${uploaded} objects uploaded (${(bytes / 2 ** 20).toFixed(1)} MiB), ${unchanged} unchanged, ` +
      `${removed} removed.`,
  )
}

async function committed(root: string, to: Branch, given: CommandOptions, output: Output): Promise<void> {
  const { product } = (await settingsWith()).config
  const author = given.author ?? `${product.replaceAll(/[<>]/g, '')} <quotetree@users.noreply.github.com>`
  if (!/^[^<>\n]+ <[^<>\s]+>$/.test(author)) throw new UsageError('--author takes "Name <mail>".')
  const report = await commitData({ root, to, author, settings: { scratch: tmpdir(), env: gitEnvironment() } })
  output.result(report, () =>
    report.subject === null ? 'No fact changed.' : `${report.subject} (${report.changed} files)`,
  )
}
