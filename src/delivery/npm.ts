import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { LAYOUT } from '../tree/layout.ts'
import { PublishedIndex } from '../tree/published-documents.ts'
import { textAt } from '../tree/reader.ts'
import { DeliveryError } from './delivery-error.ts'
import { type PublishedFile, bodyOf, documentsAt, tablesAt } from './published-files.ts'

const run = promisify(execFile)

/** What {@link packageOf} takes. */
export const NPM_FORM = 'npm:<package>'

/** Returns the package that `npm:<name>` or `npm:@<scope>/<name>` names; null for any other text. */
export const packageOf = (text: string): string | null =>
  /^npm:((?:@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]{0,199})$/.exec(text)?.[1] ?? null

/** Most bytes of a package, by default: a third of what jsDelivr serves, so that a feed has room to grow. */
const MOST_BYTES = 50 * 10 ** 6
/** The tag of a version that is not checked yet. */
const OFFERED = 'offered'

/** A registry for packages. */
interface NpmRegistry {
  /** With a slash at the end. */
  readonly url: string
  readonly token: string | undefined
  readonly ask: typeof fetch
}

/** What to publish, and where. */
interface Offer {
  readonly root: string
  readonly name: string
  readonly registry: NpmRegistry
  /** Folder for temporary files. */
  readonly scratch: string
  readonly mostBytes?: number
}

/** Result of a publication. */
interface PublishedPackage {
  readonly version: string
  /** Whether it was uploaded now. A version of an earlier run of the day stays as it is. */
  readonly isNew: boolean
  /** Of the archive; null: nothing was uploaded. */
  readonly bytes: number | null
}

const Packument = z.object({
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.object({ dist: z.object({ integrity: z.string() }) })),
})
type Packument = z.infer<typeof Packument>

const Packed = z.tuple([z.object({ filename: z.string(), integrity: z.string(), shasum: z.string() })])

/**
 * Publishes a tree as the package of its day, such as 2026.11.22. A version never changes, so the first run of a day is the one
 * that stays. `latest` moves when the registry has the version as it was sent, and not before.
 *
 * @throws DeliveryError in one sentence; `latest` is then what it was
 */
export async function publishToNpm({
  root,
  name,
  registry,
  scratch,
  mostBytes = MOST_BYTES,
}: Offer): Promise<PublishedPackage> {
  if (registry.token === undefined)
    throw new DeliveryError(`Set NPM_TOKEN to a token that may publish ${name}; nothing was sent.`)
  const version = versionOf(root)
  const files = [...(await documentsAt(root)), ...tablesAt(root)]
  const before = await packument(registry, name)
  let bytes: number | null = null
  if (before?.versions[version] === undefined) {
    const folder = mkdtempSync(join(scratch, 'quotetree-npm-'))
    try {
      await copyFiles(root, files, { folder: join(folder, 'package'), mostBytes })
      const archive = await packed(folder, { name, version })
      await upload(registry, { name, version }, archive, before?.['dist-tags']['latest'] ?? 'unset')
      bytes = archive.body.length
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  if (isLater(version, before?.['dist-tags']['latest'])) await moveLatest(registry, name, version)
  return { version, isNew: bytes !== null, bytes }
}

/** Returns the version of a tree: the day of its snapshot. */
function versionOf(root: string): string {
  const index = readJson(textAt(join(root, LAYOUT.index)), PublishedIndex.pick({ generatedAt: true }))
  if (index === null) throw new DeliveryError(`${root} holds no complete tree. Run npm run snapshot first.`)
  return index.generatedAt.slice(0, 10).split('-').map(Number).join('.')
}

const isLater = (version: string, than: string | undefined): boolean =>
  than === undefined || version.localeCompare(than, 'en', { numeric: true }) > 0

/** Copies the files of a tree. @throws DeliveryError if they are too large, or not what the tree states */
async function copyFiles(
  root: string,
  files: readonly PublishedFile[],
  { folder, mostBytes }: { readonly folder: string; readonly mostBytes: number },
): Promise<void> {
  let bytes = 0
  for (const file of files) {
    // eslint-disable-next-line no-await-in-loop -- one file at a time is all that is held
    const body = await bodyOf(root, file)
    bytes += body.length
    if (bytes > mostBytes)
      throw new DeliveryError(
        `${root} has more than the ${mostBytes / 10 ** 6} MB that a package may have, so nothing was sent. ` +
          'Name fewer listings in the setting only.',
      )
    const path = join(folder, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, body)
  }
}

/** A version of a package. */
interface Version {
  readonly name: string
  readonly version: string
}

const manifestOf = ({ name, version }: Version) => ({
  name,
  version,
  description: 'Market data as static JSON files, published with Quotetree',
})

/** An archive as a registry takes it. */
interface Archive {
  readonly body: Buffer
  readonly integrity: string
  readonly shasum: string
}

/** Packs the folder `package` in another folder. */
async function packed(folder: string, of: Version): Promise<Archive> {
  writeFileSync(join(folder, 'package/package.json'), `${JSON.stringify(manifestOf(of), null, 2)}\n`)
  const args = ['pack', join(folder, 'package'), '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { maxBuffer: 2 ** 26 })
  const [{ filename, integrity, shasum }] = Packed.parse(JSON.parse(stdout))
  return { body: readFileSync(join(folder, filename)), integrity, shasum }
}

/** Uploads a version under a tag that no reader asks for, and checks that the registry has it as it was sent. */
async function upload(
  registry: NpmRegistry,
  { name, version }: Version,
  { body, integrity, shasum }: Archive,
  latest: string,
): Promise<void> {
  const file = `${name}-${version}.tgz`
  const dist = { integrity, shasum, tarball: new URL(`${name}/-/${file}`, registry.url).href }
  await asked(registry, name, 'PUT', {
    path: encodeURIComponent(name),
    doing: `${version} was not published, and latest is still ${latest}`,
    body: {
      _id: name,
      name,
      'dist-tags': { [OFFERED]: version },
      versions: { [version]: { ...manifestOf({ name, version }), _id: `${name}@${version}`, dist } },
      access: 'public',
      _attachments: {
        [file]: { content_type: 'application/octet-stream', data: body.toString('base64'), length: body.length },
      },
    },
  })
  const after = await packument(registry, name)
  if (after?.versions[version]?.dist.integrity !== integrity)
    throw new DeliveryError(`${name}: the registry has ${version} not as it was sent, and latest is still ${latest}.`)
}

const moveLatest = (registry: NpmRegistry, name: string, version: string): Promise<unknown> =>
  asked(registry, name, 'PUT', {
    path: `-/package/${encodeURIComponent(name)}/dist-tags/latest`,
    doing: `${version} is there, but latest was not moved to it`,
    body: version,
  })

/** Returns what the registry knows of a package; null: there is none of that name. */
async function packument(registry: NpmRegistry, name: string): Promise<Packument | null> {
  const answer = await asked(registry, name, 'GET', {
    path: encodeURIComponent(name),
    doing: 'nothing was sent',
  })
  if (answer === null) return null
  const read = Packument.safeParse(answer)
  if (!read.success) throw new DeliveryError(`${new URL(registry.url).host} does not answer as a registry of npm does.`)
  return read.data
}

const WHY: Readonly<Record<number, string>> = {
  401: 'the token is not accepted. Set NPM_TOKEN to a new one',
  403: 'the name belongs to another account, or the token may not publish it. Choose another name or token',
  409: 'another upload is under way. Run again',
  413: 'the registry takes no package of this size. Name fewer listings in the setting only',
}

/** What to ask a registry, and what has failed if it refuses. */
interface Asked {
  readonly path: string
  readonly doing: string
  readonly body?: unknown
}

/** Returns the answer of a registry; null for what it does not have. @throws DeliveryError if it refuses */
async function asked(
  { url, token, ask }: NpmRegistry,
  name: string,
  method: 'GET' | 'PUT',
  { path, doing, body }: Asked,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' }
  const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await ask(new URL(path, url), sent).catch((cause: unknown) => {
    throw new DeliveryError(`${name}: ${doing}: the registry cannot be reached. Run again.`, { cause })
  })
  const text = await response.text()
  if (response.ok) return readJson(text, z.json()) ?? text
  if (method === 'GET' && response.status === 404) return null
  throw new DeliveryError(
    `${name}: ${doing}: ${WHY[response.status] ?? `the registry answers ${response.status}. Run again`}.`,
  )
}
