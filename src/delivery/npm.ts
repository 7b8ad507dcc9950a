import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

interface NpmRegistry {
  /** With a slash at the end. */
  readonly url: string
  readonly token: string | undefined
  readonly ask: typeof fetch
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What to publish, and where. */
interface Offer {
  readonly root: string
  readonly name: string
  readonly registry: NpmRegistry
  readonly scratch: string
  readonly mostBytes?: number
}

const Packument = z.object({
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.object({ dist: z.object({ integrity: z.string() }) })),
})

const Upload = z.object({ size: z.number(), integrity: z.string() })
/** What npm says of an upload; since version 11 by the name of the package. */
const Sent = z.union([Upload, z.record(z.string(), Upload).transform((all) => Object.values(all)[0] ?? null)])

/**
 * Publishes a tree as the package of its day, such as 2026.11.22. A version never changes, so the first run of a day is the one
 * that stays. `latest` moves when the registry has the version as it was sent, and not before. Returns the version, whether it
 * was uploaded now, and the bytes of its archive.
 *
 * @throws DeliveryError in one sentence; `latest` is then what it was
 */
export async function publishToNpm({ root, name, registry, scratch, mostBytes = MOST_BYTES }: Offer) {
  if (registry.token === undefined)
    throw new DeliveryError(`Set NPM_TOKEN to a token that may publish ${name}; nothing was sent.`)
  const version = versionOf(root)
  const files = [...(await documentsAt(root)), ...tablesAt(root)]
  const before = await packument(registry, name)
  const latest = before?.['dist-tags']['latest']
  const folder = mkdtempSync(join(scratch, 'quotetree-npm-'))
  const npm = npmWith(registry, name, folder)
  let bytes: number | null = null
  try {
    if (before?.versions[version] === undefined) {
      const stays = `latest is still ${latest ?? 'unset'}`
      const own = join(folder, 'package')
      await copyFiles(root, files, { folder: own, mostBytes })
      const description = 'Market data as static JSON files, published with Quotetree'
      writeFileSync(join(own, 'package.json'), `${JSON.stringify({ name, version, description }, null, 2)}\n`)
      // No reader asks for this tag.
      const args = ['publish', own, '--tag', OFFERED, '--access', 'public', '--ignore-scripts', '--json']
      const sent = readJson(await npm(`${version} was not published, and ${stays}`, args), Sent)
      const after = await packument(registry, name)
      if (sent === null || after?.versions[version]?.dist.integrity !== sent.integrity)
        throw new DeliveryError(`${name}: the registry has ${version} not as it was sent, and ${stays}.`)
      bytes = sent.size
    }
    if (isLater(version, latest))
      await npm(`${version} is there, but latest was not moved to it`, [
        'dist-tag',
        'add',
        `${name}@${version}`,
        'latest',
      ])
    return { version, isNew: bytes !== null, bytes }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

const UNREACHABLE = 'the registry cannot be reached. Run again'

/** Why npm fails, by its code. */
const WHY: Readonly<Record<string, string>> = {
  E401: 'the token is not accepted. Set NPM_TOKEN to a new one',
  E403: 'the name belongs to another account, or the token may not publish it. Choose another name or token',
  E409: 'another upload is under way. Run again',
  E413: 'the registry takes no package of this size. Name fewer listings in the setting only',
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
}

/** Returns what runs npm with a registry and its token, which is in its environment alone. @throws DeliveryError if it fails */
function npmWith({ url, token, env }: NpmRegistry, name: string, folder: string) {
  const settings = join(folder, 'npmrc')
  writeFileSync(settings, `registry=${url}\n${url.replace(/^https?:/, '')}:_authToken=\${NPM_TOKEN}\nfetch-retries=0\n`)
  return async (doing: string, args: readonly string[]): Promise<string> => {
    try {
      return (
        await run('npm', [...args, '--userconfig', settings], { env: { ...env, NPM_TOKEN: token }, maxBuffer: 2 ** 26 })
      ).stdout
    } catch (cause) {
      const [, code = 'with no reason'] = /code (E\w+)/.exec(cause instanceof Error ? cause.message : '') ?? []
      throw new DeliveryError(`${name}: ${doing}: ${WHY[code] ?? `npm ends ${code}. Run again`}.`, { cause })
    }
  }
}

/** Returns what the registry knows of a package; null: there is none of that name. @throws DeliveryError if it does not say */
async function packument({ url, token, ask }: NpmRegistry, name: string): Promise<z.infer<typeof Packument> | null> {
  const sent = { headers: { authorization: `Bearer ${token}` } }
  const response = await ask(new URL(encodeURIComponent(name), url), sent).catch((cause: unknown) => {
    throw new DeliveryError(`${name}: nothing was sent: ${UNREACHABLE}.`, { cause })
  })
  const text = await response.text()
  if (response.status === 404) return null
  const read = readJson(text, Packument)
  if (!response.ok || read === null)
    throw new DeliveryError(`${new URL(url).host} does not answer as a registry of npm does (${response.status}).`)
  return read
}
