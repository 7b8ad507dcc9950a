import * as z from 'zod'
import type { ByteRange } from '../client/archive.ts'
import type { ArchiveStore } from './archive-store.ts'
import { DeliveryError } from './delivery-error.ts'
import { type GitHub, askGithub } from './github.ts'

const Asset = z.object({ id: z.int(), name: z.string(), size: z.int().nonnegative(), state: z.string() })
type Asset = z.infer<typeof Asset>
const Release = z.object({ id: z.int(), upload_url: z.string() })
type Release = z.infer<typeof Release>

const PER_PAGE = 100
const MOST_ASSETS = 1000

/** A new list of a day, until it has its name. A reader that misses the list finds it under this one. */
const DRAFT = '.new'

class Releases {
  readonly #github: GitHub
  readonly #known = new Map<string, Promise<Release | null>>()

  constructor(github: GitHub) {
    this.#github = github
  }

  /** Returns the complete assets of a month by file. An upload that was cut off has another state. */
  async assets(tag: string): Promise<ReadonlyMap<string, Asset>> {
    const found = new Map<string, Asset>()
    const release = await this.#release(tag)
    if (release === null) return found
    for (let page = 1; page <= MOST_ASSETS / PER_PAGE; page++) {
      const path = `releases/${release.id}/assets?per_page=${PER_PAGE}&page=${page}`
      // eslint-disable-next-line no-await-in-loop -- the next page is asked for if this one is full
      const assets = await parsed(await this.#ask('GET', path), z.array(Asset))
      for (const asset of assets) if (asset.state === 'uploaded') found.set(`${tag}/${asset.name}`, asset)
      if (assets.length < PER_PAGE) break
    }
    return found
  }

  /** Returns the bytes of an asset, or a part; null if it is gone. */
  async read({ id }: Asset, range: ByteRange | undefined): Promise<Uint8Array | null> {
    const response = await this.#ask('GET', `releases/assets/${id}`, { headers: rangeHeaders(range) })
    return response.status === 404 ? null : new Uint8Array(await response.arrayBuffer())
  }

  async drop({ id }: Asset): Promise<void> {
    const response = await this.#ask('DELETE', `releases/assets/${id}`)
    await response.body?.cancel()
  }

  async rename({ id }: Asset, name: string): Promise<void> {
    await parsed(await this.#ask('PATCH', `releases/assets/${id}`, { body: { name } }), Asset)
  }

  async upload(tag: string, name: string, body: Uint8Array): Promise<Asset> {
    const { upload_url: address } = (await this.#release(tag)) ?? (await this.#create(tag))
    return parsed(
      await this.#ask('POST', `${address.replace(/\{.*$/, '')}?name=${encodeURIComponent(name)}`, { body }),
      Asset,
    )
  }

  #release(tag: string): Promise<Release | null> {
    const known =
      this.#known.get(tag) ??
      this.#ask('GET', `releases/tags/${tag}`).then(async (response) => {
        if (response.status !== 404) return parsed(response, Release)
        await response.body?.cancel()
        return null
      })
    this.#known.set(tag, known)
    return known
  }

  async #create(tag: string): Promise<Release> {
    // Not the latest one: that is a release of the program.
    const about = { name: tag, body: 'Snapshots of the API, written by npm run archive.', make_latest: 'false' }
    const created = parsed(await this.#ask('POST', 'releases', { body: { tag_name: tag, ...about } }), Release)
    this.#known.set(tag, created)
    return created
  }

  /** Requests a path of the repository, or an address. A 404 is an answer. @throws DeliveryError if GitHub refuses */
  async #ask(method: string, path: string, sent: Parameters<typeof askGithub>[3] = {}): Promise<Response> {
    const response = await askGithub(this.#github, method, path, sent)
    const what = `GitHub: ${method} ${new URL(response.url).pathname}`
    const isBytes = sent.body instanceof Uint8Array
    if (response.ok || response.status === 404) return response
    // It says already_exists where another writer was faster.
    const isImmutable = response.status === 422 && isBytes && !(await response.text()).includes('already_exists')
    if (!response.bodyUsed) await response.body?.cancel()
    if (isImmutable)
      throw new DeliveryError(
        `${what} failed with status 422: immutable releases take no more files. Switch them off in the settings of the ` +
          "repository or organization, or set the variable ARCHIVE to a bucket or to 'off'.",
      )
    throw new DeliveryError(`${what} failed with status ${response.status}. Check the permissions of the job's token.`)
  }
}

async function parsed<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.infer<Schema>> {
  const found = schema.safeParse(await response.json().catch(() => null))
  if (found.success) return found.data
  throw new DeliveryError(
    `GitHub: ${new URL(response.url).pathname} is not what was asked for. Add the snapshot again.`,
  )
}

/**
 * Returns an archive in the releases of a GitHub repository: each month's folder is the release of that tag. A file is
 * replaced by upload, deletion and renaming, so that a killed writer leaves one of the two.
 */
export function releaseArchive(github: GitHub): ArchiveStore {
  const releases = new Releases(github)
  return {
    name: `github-release:${github.repository}`,
    async list(folder) {
      const sizes = [...(await releases.assets(folder))].map(([file, { size }]) => [file, size] as const)
      const isDraft = ([file]: readonly [string, number]) => file.endsWith(DRAFT)
      const drafts = sizes.filter(isDraft).map(([file, size]) => [file.slice(0, -DRAFT.length), size] as const)
      return new Map([...drafts, ...sizes.filter((one) => !isDraft(one))])
    },
    async read(file, range) {
      const assets = await releases.assets(folderOf(file))
      const asset = assets.get(file) ?? assets.get(file + DRAFT)
      return asset ? releases.read(asset, range) : null
    },
    async put(file, bytes) {
      const tag = folderOf(file)
      const name = file.slice(tag.length + 1)
      const assets = await releases.assets(tag)
      const [old, draft] = [assets.get(file), assets.get(file + DRAFT)]
      if (!old) {
        // What an interrupted writer left under the other name is replaced by one of this name.
        await releases.upload(tag, name, bytes)
        if (draft) await releases.drop(draft)
        return
      }
      if (draft) await releases.drop(draft)
      const next = await releases.upload(tag, name + DRAFT, bytes)
      await releases.drop(old)
      await releases.rename(next, name)
    },
    async remove(file) {
      const asset = (await releases.assets(folderOf(file))).get(file)
      if (asset) await releases.drop(asset)
    },
    alone: (work) => work(),
  }
}

const folderOf = (file: string): string => file.slice(0, file.indexOf('/'))

/** Asks for the bytes of an asset in place of its description. */
const rangeHeaders = (range: ByteRange | undefined): Record<string, string> => ({
  accept: 'application/octet-stream',
  ...(range ? { range: `bytes=${range.from}-${range.from + range.length - 1}` } : {}),
})

/** Parses `github-release:owner/name`. Returns null if it is invalid. */
export const releaseRepositoryOf = (text: string): string | null =>
  /^github-release:([A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+)$/.exec(text)?.[1] ?? null
