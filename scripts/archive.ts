import { resolve } from 'node:path'
import { addSnapshot } from '../src/delivery/add-snapshot.ts'
import { type ReadableArchive, siteArchive } from '../src/client/archive.ts'
import { type ArchiveStore, bucketArchive } from '../src/delivery/archive-store.ts'
import { folderStore } from '../src/delivery/folder-archive.ts'
import { openPast, restorePast } from '../src/delivery/read-archive.ts'
import { snapshotDocuments } from '../src/delivery/snapshot-documents.ts'
import { API_FOLDER } from '../src/contract/prefix.ts'
import { releaseArchive, releaseRepositoryOf } from '../src/delivery/release-archive.ts'
import { addressOf, s3Store } from '../src/delivery/s3.ts'
import { refuseForeign } from '../src/tree/own-files.ts'
import { isSite } from '../src/tree/remote.ts'
import { Tree } from '../src/tree/tree.ts'
import { type Output, type Parsed, TREE, declare, seeHelp, text } from './command.ts'
import { overridesIn, overriding, settingsWith } from './settings.ts'
import { environment } from './environment.ts'
import { EXIT, UsageError } from './usage.ts'

const SITE_TIMEOUT_MS = 60_000

const OPTIONS = {
  tree: TREE,
  to: text('add: the archive: a folder, s3://<bucket>[/<prefix>] or github-release:<owner>/<repo>'),
  from: text('get and restore: the archive, or the URL of its files'),
  at: text('get and restore: a time in UTC, such as 2026-11-22 or 2026-11-22T12:00Z'),
  out: text('restore: new folder for the documents'),
  'half-hourly-days': overriding('half-hourly-days'),
  'hourly-days': overriding('hourly-days'),
} as const

/** Returns the archive with a name. @throws UsageError if it is none */
async function archiveAt(name: string | undefined, option: '--to' | '--from'): Promise<ArchiveStore> {
  if (name === undefined) throw new UsageError(`Name the archive with ${option}. ${seeHelp('archive')}`)
  const { S3_ENDPOINT, AWS_REGION, GITHUB_API_URL: api, GITHUB_TOKEN: token } = environment()
  const address = addressOf(name)
  if (address)
    return bucketArchive(await s3Store(address, { endpoint: S3_ENDPOINT ?? null, region: AWS_REGION ?? null }))
  const repository = releaseRepositoryOf(name)
  if (repository !== null) {
    if (token === undefined)
      throw new UsageError('Set GITHUB_TOKEN to a token that may write the contents of the repository.')
    return releaseArchive({ api, repository, token, ask: fetch })
  }
  if (/^[a-z0-9-]+:/.test(name))
    throw new UsageError(
      `${option} takes a folder, s3://<bucket>[/<prefix>] or github-release:<owner>/<repo>, not ${name}.`,
    )
  return folderStore(resolve(name), Date.now)
}

/** Returns the archive to read from: one of {@link archiveAt}, or a host of its files. @throws UsageError if it is none */
export const readableAt = async (name: string | undefined): Promise<ReadableArchive> =>
  name !== undefined && isSite(name) ? siteArchive(name, fetch, SITE_TIMEOUT_MS) : archiveAt(name, '--from')

/** Returns a time in ms since 1970. @throws UsageError if it is none, or one without a zone */
export function timeOf(at: string | undefined): number {
  const isUtc = at !== undefined && /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(at)
  const time = Date.parse(isUtc ? at : '')
  if (Number.isNaN(time)) throw new UsageError('--at takes a time in UTC, such as 2026-11-22 or 2026-11-22T12:00Z.')
  return time
}

export const command = declare({
  operands: 'add | get <path> | restore',
  options: OPTIONS,
  async run(values, [name, path], output) {
    if (name === 'add') return added(values, output)
    if (name !== 'get' && name !== 'restore')
      throw new UsageError(`Name a command: add, get or restore. ${seeHelp('archive')}`)
    const past = await openPast(await readableAt(values.from), timeOf(values.at))
    const { time } = past.snapshot
    if (name === 'restore') {
      if (values.out === undefined) throw new UsageError('Name a new folder with --out.')
      const { files, bytes } = await restorePast(past, resolve(values.out))
      output.result(
        { files, bytes, time },
        () => `${values.out}: ${files} documents of ${time}, ${(bytes / 1e6).toFixed(1)} MB.`,
      )
      return EXIT.done
    }
    if (path === undefined) throw new UsageError(`Name a document, such as ${API_FOLDER}/assets/bitcoin.json.`)
    const document = await past.read(path.replace(/^\//, ''))
    if (document === null) throw new UsageError(`The snapshot of ${time} has no ${path}.`)
    process.stdout.write(document)
    return EXIT.done
  },
})

async function added({ tree, to, ...values }: Parsed<typeof OPTIONS>['values'], output: Output): Promise<number> {
  const store = await archiveAt(to, '--to')
  const { config } = await settingsWith(overridesIn(values))
  refuseForeign(resolve(tree))
  const result = await addSnapshot(store, snapshotDocuments(new Tree(resolve(tree))), config.archive)
  for (const file of result.foreign) output.line(`${store.name}: ${file} is not a snapshot file and is left alone.`)
  const { snapshot, wasThere, documents, removed } = result
  output.result(
    result,
    () =>
      `${store.name}: ${snapshot.file} with ${documents} documents, ${(snapshot.bytes / 1e6).toFixed(2)} MB` +
      `${wasThere ? ', was there already' : ''}; ${removed.length} snapshots removed.`,
  )
  return EXIT.done
}
