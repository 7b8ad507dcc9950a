import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import * as z from 'zod'
import { BRANCH_FORM, type Branch, branchOf } from '../src/delivery/git.ts'
import { cosign } from '../src/delivery/cosign.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { addressOf, s3Store } from '../src/delivery/s3.ts'
import { NPM_FORM, packageOf, publishToNpm } from '../src/delivery/npm.ts'
import { lock } from '../src/tree/lock.ts'
import { refuseForeign } from '../src/tree/own-files.ts'
import { Tree } from '../src/tree/tree.ts'
import { type Output, type Parsed, TREE, declare, seeHelp, flag, text } from './command.ts'
import { environment, gitEnvironment } from './environment.ts'
import { settingsWith } from './settings.ts'
import { publisherAt } from './tree-reader.ts'
import { policyIn } from './prove.ts'
import { EXIT, UsageError } from './usage.ts'
import { readJson } from '../src/contract/read-json.ts'
import { TABLES_FILE } from '../src/contract/tables.ts'
import { Timestamp } from '../src/contract/words.ts'
import { publishTables } from '../src/exports/publish-tables.ts'
import { writeTables } from '../src/exports/tables.ts'
import { LAYOUT } from '../src/tree/layout.ts'

const BUCKET_FORM = 's3://<bucket>[/<prefix>]'

const OPTIONS = {
  tree: TREE,
  to: text(
    `${BUCKET_FORM}: upload the changed files, the index last. ${BRANCH_FORM}: commit the facts to a branch, one per line, if any of them changed. ${NPM_FORM}: publish the package of the day`,
  ),
  tables: flag('first write the Parquet tables beside the API; works without --to'),
  cosign: text(
    'ask the witnesses of a C2SP tlog-policy in this file to cosign the checkpoint of the log; works without --to',
  ),
  author: text('branch: author of the commits, "<product> <quotetree@users.noreply.github.com>" by default'),
} as const

type Given = Parsed<typeof OPTIONS>['values']

export const command = declare({
  options: OPTIONS,
  notes: `Set S3_ENDPOINT for a provider other than AWS. Credentials are read by the AWS SDK, for example from AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY. Set NPM_TOKEN for a package.`,
  async run(given, _, output) {
    const { to } = given
    const [branch, name, bucket] = to === undefined ? [null, null, null] : [branchOf(to), packageOf(to), addressOf(to)]
    const isChanging = given.tables || given.cosign !== undefined
    if ((branch ?? name ?? bucket) === null && (to !== undefined || !isChanging))
      throw new UsageError(`--to takes ${BUCKET_FORM}, ${BRANCH_FORM} or ${NPM_FORM}. ${seeHelp('publish')}`)
    const root = resolve(given.tree)
    if (isChanging || branch === null) {
      refuseForeign(root)
      // The lock keeps builds from changing the tree. Opening it completes an interrupted publication.
      const unlock = lock(root, Date.now())
      try {
        const tree = new Tree(root)
        if (given.tables) await tablesOf(tree, output)
        if (given.cosign) await cosigned(tree, given.cosign, output)
        if (bucket) await uploaded(tree, bucket, output)
        if (name !== null) await packaged(root, name, output)
      } finally {
        unlock()
      }
    }
    if (branch) await committed(root, branch, given, output)
    return EXIT.done
  },
})

async function uploaded(tree: Tree, address: NonNullable<ReturnType<typeof addressOf>>, output: Output): Promise<void> {
  const { S3_ENDPOINT, AWS_REGION } = environment()
  const store = await s3Store(address, { endpoint: S3_ENDPOINT ?? null, region: AWS_REGION ?? null })
  const result = await publishTo(store, { root: tree.root, endpoints: publisherAt(tree.root).published })
  const { uploaded, unchanged, removed, bytes, resumed } = result
  output.result(
    result,
    () =>
      `${store.name}: ${uploaded} objects uploaded (${(bytes / 2 ** 20).toFixed(1)} MiB), ${unchanged} unchanged, ` +
      `${removed} removed${resumed ? '; resumed an interrupted publication' : ''}.`,
  )
}

async function cosigned(tree: Tree, file: string, output: Output): Promise<void> {
  const names = await cosign(tree, policyIn(file), fetch, Date.now())
  output.result(names, () => `Cosigned by ${names.length > 0 ? names.join(', ') : 'none of the witnesses'}.`)
}

async function packaged(root: string, name: string, output: Output): Promise<void> {
  // npm knows where this machine takes packages from.
  const url = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const registry = {
    url: url.trim().replace(/\/?$/, '/'),
    token: environment().NPM_TOKEN,
    ask: fetch,
    env: gitEnvironment(),
  }
  const result = await publishToNpm({ root, name, registry, scratch: tmpdir() })
  const { version, isNew, bytes } = result
  output.result(result, () =>
    isNew
      ? `${name}@${version}: ${((bytes ?? 0) / 1e6).toFixed(2)} MB, and latest is that.`
      : `${name}@${version} is there already. A version never changes: the next day has the next one.`,
  )
}

async function committed(root: string, to: Branch, given: Given, output: Output): Promise<void> {
  const { product } = (await settingsWith()).config
  const author = given.author ?? `${product.replaceAll(/[<>]/g, '')} <quotetree@users.noreply.github.com>`
  if (!/^[^<>\n]+ <[^<>\s]+>$/.test(author)) throw new UsageError('--author takes "Name <mail>".')
  const report = await commitData({ root, to, author, settings: { scratch: tmpdir(), env: gitEnvironment() } })
  output.result(report, () =>
    report.subject === null ? 'No fact changed.' : `${report.subject} (${report.changed} files)`,
  )
}

/** Writes the tables of a tree beside it, and publishes their list in it. @throws UsageError if it has no snapshot */
async function tablesOf(tree: Tree, output: Output) {
  const index = readJson(tree.read(LAYOUT.index), z.object({ generatedAt: Timestamp }))
  if (index === null) throw new UsageError(`${tree.root} has no snapshot. Run npm run snapshot first.`)
  const documents = [...tree.files, ...tree.documents('history'), ...tree.documents('assets')]
  const tables = await writeTables(
    { root: tree.root, files: [...new Set(documents)], read: (file) => tree.read(file) },
    index.generatedAt,
  )
  await publishTables(tree, tables, environment().MKT_LOG_KEY)
  if (tree.read(TABLES_FILE) === null)
    output.line('The tree does not have /tables yet. Run npm run snapshot, then npm run publish -- --tables again.')
  const lines = tables.rows.map((one) => `${one.path}: ${one.rows} rows, ${(one.bytes / 1e6).toFixed(2)} MB.`)
  output.result(tables.rows, () => lines.join('\n'))
}
