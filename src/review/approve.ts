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

/** A file of reviewed assets that several reviewers may change. */
export interface RegistryFile {
  /** For messages. */
  readonly name: string
  read(): string
  /** Does work while no other reviewer changes the file; `write` replaces it in one step. */
  exclusively<Result>(work: (write: (text: string) => void) => Promise<Result>): Promise<Result>
}

/** What a reviewer wants an approval to be. */
export interface Wish {
  readonly isVerified: boolean
  /** Code of the reason, where it is not the usual one. */
  readonly code?: string
  /** Public sentence in place of the reason's own. */
  readonly note?: string
  /** Slug to give in place of the one that follows from the request. */
  readonly slug?: string
  /** Delisted slug whose asset this is: it takes its slug and history back, and the request records that. */
  readonly relist?: string
}

/** What an approval touches. */
export interface ApprovalEdge {
  readonly queue: Queue
  readonly file: RegistryFile
  readonly published: PublishedSlugs
  /** In ms since 1970. */
  readonly now: number
  readonly show: (text: string) => void
  readonly confirm: () => Promise<boolean>
}

/** What an approval would write. */
interface Proposal {
  readonly entry: Entry
  /** Text of the registry after it; null where the entry is there already. */
  readonly after: string | null
  readonly shown: string
}

/**
 * Approves a request for a new listing: shows what it writes to the registry, asks, and writes both. Nothing is locked while
 * it asks. What was shown is worked out again when it is written, under the lock of the registry; if another reviewer has
 * changed the registry or the request so that something else would be written, that is shown and asked for again.
 *
 * @returns the request after the approval; null where the reviewer did not want it
 * @throws ReviewError where the request cannot be approved, or a slug is not free
 */
export async function approve(id: string, wish: Wish, edge: ApprovalEdge): Promise<RequestRecord | null> {
  for (;;) {
    const shown = await proposalFor(id, wish, edge)
    edge.show(shown.shown)
    if (!(await edge.confirm())) return null
    const after = await edge.file.exclusively(async (write) => {
      const current = await proposalFor(id, wish, edge)
      return keyOf(current) === keyOf(shown) ? settled(id, current, wish, edge, write) : null
    })
    if (after) return after
    edge.show('Another reviewer changed the registry or the request meanwhile. This is what would be written now:')
  }
}

const keyOf = ({ entry, after }: Proposal): string => JSON.stringify([entry, after === null])

/** Writes the registry, then the request; a request that somebody else decided meanwhile takes the entry back. */
async function settled(
  id: string,
  { entry, after }: Proposal,
  wish: Wish,
  { queue, file, now }: ApprovalEdge,
  write: (text: string) => void,
): Promise<RequestRecord> {
  const before = file.read()
  if (after !== null) write(after)
  try {
    const record = await queue.update(id, (current) => approved(current, entry.slug, wish, now))
    if (!record) throw new ReviewError(`The request ${id} is gone.`)
    return record
  } catch (error) {
    // Of a queue that gave no answer nobody knows whether it took the decision: the entry stays, and the next try finds it.
    if (after !== null && error instanceof ReviewError) write(before)
    throw error
  }
}

/** A request after its approval. One that is approved already and lost its entry gets the entry, and no second decision. */
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
  if (!record) throw new ReviewError(`The request ${id} is gone.`)
  const before = file.read()
  const registry = openRegistry({ assets: JSON.parse(before), file: file.name })
  if (record.status === 'approved' && isListed(record, registry, published))
    throw new ReviewError(`${id} is approved already, and ${file.name} has ${record.listing}.`)
  // What cannot be approved is refused before anybody is asked.
  approved(record, 'any', wish, now)
  const present = entryFor(record, registry)
  if (present) return { entry: present, after: null, shown: `${file.name} has the asset already, as ${present.slug}.` }

  const others = (await queue.list()).flatMap(({ request_id, status, listing }) =>
    status === 'approved' && request_id !== id && listing !== null ? [listing] : [],
  )
  const used = new Set([...published.listed, ...registry.assets].map(({ slug }) => slug).concat(others))
  const taken = { has: (slug: string) => used.has(slug) || published.formerOwner(slug) !== null }
  const slug = slugFor(record, wish, taken, published)
  const entry = { ...entryOf(record, registry, taken, wish.isVerified), ...(slug === null ? {} : { slug }) }
  const after = withEntry(before, entry)
  // Refused here rather than by the next build.
  openRegistry({ assets: JSON.parse(after), file: file.name })
  const strange = strangeChains(record.body, registry)
  return {
    entry,
    after,
    shown: [
      `--- ${file.name}`,
      `+++ ${file.name}`,
      diffText(before, after),
      ...strange.map((chain) => `Left out: a contract on ${chain}, which src/registry/chains.json does not know.`),
      ...(slug === null ? formerOwners(record, published) : []),
    ].join('\n'),
  }
}

/** Delisted assets whose slug the request would have got. */
const formerOwners = ({ body }: RequestRecord, { formerOwner }: PublishedSlugs): string[] =>
  [...new Set([slugOf(body.name), slugOf(body.symbol)])].flatMap((slug) => {
    const owner = formerOwner(slug)
    return owner === null ? [] : [`Note: ${owner}. If this is the same asset, approve it with --relist ${slug}.`]
  })

const isListed = ({ listing }: RequestRecord, registry: Registry, { listed }: PublishedSlugs): boolean =>
  [...registry.assets, ...listed].some(({ slug }) => slug === listing)

/** The slug that the reviewer, an earlier approval or the sender names; null where one follows from the name. */
function slugFor(
  { status, listing, body }: RequestRecord,
  { slug, relist }: Wish,
  taken: { has(slug: string): boolean },
  { formerOwner }: PublishedSlugs,
): string | null {
  if (relist !== undefined) {
    if (formerOwner(relist) !== null) return relist
    throw new ReviewError(`--relist takes the slug of a delisted asset, and ${relist} is none.`)
  }
  const wanted = slug ?? (status === 'approved' ? listing : null) ?? body.slug
  if (wanted === undefined || !taken.has(wanted)) return wanted ?? null
  const owner = formerOwner(wanted)
  if (owner !== null)
    throw new ReviewError(
      `${owner}. A slug is never given to another asset. If this is the same asset, add --relist ${wanted}: it takes its ` +
        'history back, and the request records it. If it is another, choose a slug with --slug.',
    )
  if (slug === undefined) return null
  throw new ReviewError(`${slug} is the slug of another listing. Choose another one.`)
}
