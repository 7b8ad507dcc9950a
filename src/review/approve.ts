import { slugOf } from '../feed/slug.ts'
import type { Queue, RequestRecord } from '../queue/queue.ts'
import { type Registry, openRegistry } from '../registry/registry.ts'
import type { Entry } from '../registry/schema.ts'
import { ReviewError, decide } from './decide.ts'
import { entryFor, entryOf } from './entry.ts'
import { strangeChains } from './hints.ts'
import { diffText } from './print.ts'
import type { PublishedSlugs } from './published-slugs.ts'
import { withEntry } from './registry-text.ts'

/** A registry file that several reviewers may change. */
export interface RegistryFile {
  /** Name for messages. */
  readonly name: string
  read(): string
  /** Runs work under the lock of the file. `write` replaces the file atomically. */
  exclusively<Result>(work: (write: (text: string) => void) => Promise<Result>): Promise<Result>
}

/** Options of an approval. */
export interface Wish {
  readonly isVerified: boolean
  /** Reason code, if not the default one. */
  readonly code?: string
  /** Public text that replaces the standard text of the reason. */
  readonly note?: string
  /** Slug to use instead of the one derived from the request. */
  readonly slug?: string
  /** Slug of the delisted asset to list again with its history. The request and the registry record it. */
  readonly relist?: string
}

/** Dependencies of an approval. */
export interface ApprovalEdge {
  readonly queue: Queue
  readonly file: RegistryFile
  readonly published: PublishedSlugs
  /** In ms since 1970. */
  readonly now: number
  readonly show: (text: string) => void
  readonly confirm: () => Promise<boolean>
}

/** Proposed changes of an approval. */
interface Proposal {
  readonly entry: Entry
  /** New text of the registry; null if the entry exists already. */
  readonly after: string | null
  readonly shown: string
}

/**
 * Approves a request for a new listing: shows the proposed changes, asks for confirmation, and writes the registry and the
 * request. Nothing is locked while it asks. The proposal is computed again under the lock of the registry. If it differs,
 * because another reviewer changed the registry or the request, it is shown and confirmed again.
 *
 * @returns the approved request; null if the reviewer did not confirm
 * @throws ReviewError if the request cannot be approved, or the slug is not free
 */
export async function approve(id: string, wish: Wish, edge: ApprovalEdge): Promise<RequestRecord | null> {
  for (;;) {
    const shown = await proposalFor(id, wish, edge)
    edge.show(shown.shown)
    if (!(await edge.confirm())) return null
    const after = await edge.file.exclusively(async (write) => {
      const current = await proposalFor(id, wish, edge)
      return keyOf(current) === keyOf(shown) ? record(id, current, wish, { ...edge, write }) : null
    })
    if (after) return after
    edge.show('Another reviewer changed the registry or the request in the meantime. The changes are now:')
  }
}

const keyOf = ({ entry, after }: Proposal): string => JSON.stringify([entry, after === null])

/** Writes the registry, then the request. If another reviewer decided the request first, the entry is removed again. */
async function record(
  id: string,
  { entry, after }: Proposal,
  wish: Wish,
  { queue, file, now, write }: ApprovalEdge & { readonly write: (text: string) => void },
): Promise<RequestRecord> {
  const before = file.read()
  if (after !== null) write(after)
  try {
    const updated = await queue.update(id, (current) => approved(current, entry.slug, wish, now))
    if (!updated) throw new ReviewError(`The request ${id} no longer exists.`)
    return updated
  } catch (error) {
    // If the queue did not answer, the decision may be stored: the entry stays, and the next attempt finds it.
    if (after !== null && error instanceof ReviewError) write(before)
    throw error
  }
}

/** Returns the approved request. If it was approved before and lost its entry, no second decision is added. */
function approved(record: RequestRecord, slug: string, { code, note, relist }: Wish, now: number): RequestRecord {
  if (record.status === 'approved') return { ...record, listing: slug }
  if (code === 'relisted' && relist === undefined)
    throw new ReviewError('The reason relisted needs the delisted slug: add --relist <slug>.')
  const why = relist === undefined ? code : 'relisted'
  return decide(
    record,
    {
      status: 'approved',
      listing: slug,
      ...(why === undefined ? {} : { code: why }),
      ...(note === undefined ? {} : { note }),
    },
    now,
  )
}

async function proposalFor(id: string, wish: Wish, { queue, file, published, now }: ApprovalEdge): Promise<Proposal> {
  const record = await queue.get(id)
  if (!record) throw new ReviewError(`The request ${id} no longer exists.`)
  const before = file.read()
  const registry = openRegistry({ assets: JSON.parse(before), file: file.name })
  if (record.status === 'approved' && isListed(record, registry, published))
    throw new ReviewError(`${id} is already approved, and ${file.name} has ${record.listing}.`)
  // A request that cannot be approved is refused before the confirmation.
  approved(record, 'any', wish, now)
  const present = entryFor(record, registry)
  if (present) return { entry: present, after: null, shown: `${file.name} already has the asset, as ${present.slug}.` }

  const others = (await queue.list()).flatMap(({ request_id, status, listing }) =>
    status === 'approved' && request_id !== id && listing !== null ? [listing] : [],
  )
  const used = new Set([...published.listed, ...registry.assets].map(({ slug }) => slug).concat(others))
  const taken = { has: (slug: string) => used.has(slug) || published.formerOwner(slug) !== null }
  const slug = slugFor(record, wish, taken, published)
  const entry: Entry = {
    ...entryOf(record, registry, taken, wish.isVerified),
    ...(slug === null ? {} : { slug }),
    ...(wish.relist === undefined ? {} : { relisted: true }),
  }
  const after = withEntry(before, entry)
  // An invalid registry is refused here instead of by the next build.
  openRegistry({ assets: JSON.parse(after), file: file.name })
  const strange = strangeChains(record.body, registry)
  return {
    entry,
    after,
    shown: [
      `--- ${file.name}`,
      `+++ ${file.name}`,
      diffText(before, after),
      ...strange.map((chain) => `Left out: a contract on ${chain}, which is not in src/registry/chains.json.`),
      ...(slug === null ? formerOwners(record, published) : []),
    ].join('\n'),
  }
}

/** Returns notes about delisted assets that own the slug of the request. */
const formerOwners = ({ body }: RequestRecord, { formerOwner }: PublishedSlugs): string[] =>
  [...new Set([slugOf(body.name), slugOf(body.symbol)])].flatMap((slug) => {
    const owner = formerOwner(slug)
    return owner === null ? [] : [`Note: ${owner}. If this is the same asset, approve it with --relist ${slug}.`]
  })

const isListed = ({ listing }: RequestRecord, registry: Registry, { listed }: PublishedSlugs): boolean =>
  [...registry.assets, ...listed].some(({ slug }) => slug === listing)

/** Returns the slug named by the reviewer, an earlier approval or the sender, or null to derive it from the name. */
function slugFor(
  { status, listing, body }: RequestRecord,
  { slug, relist }: Wish,
  taken: { has(slug: string): boolean },
  { formerOwner }: PublishedSlugs,
): string | null {
  if (relist !== undefined) {
    if (formerOwner(relist) !== null) return relist
    throw new ReviewError(`--relist takes the slug of a delisted asset, not ${relist}.`)
  }
  const wanted = slug ?? (status === 'approved' ? listing : null) ?? body.slug
  if (wanted === undefined || !taken.has(wanted)) return wanted ?? null
  const owner = formerOwner(wanted)
  if (owner !== null)
    throw new ReviewError(
      `${owner}. Slugs are never reused for other assets. If this is the same asset, add --relist ${wanted} to list it again ` +
        'with its history. Otherwise choose another slug with --slug.',
    )
  if (slug === undefined) return null
  throw new ReviewError(`${slug} is the slug of another listing. Choose another one.`)
}
