import { freeSlug, slugOf } from '../contract/names.ts'
import type { Queue, RequestRecord } from './queue.ts'
import { type Registry, openRegistry } from '../registry/registry.ts'
import { Entry } from '../registry/schema.ts'
import { ReviewError, decide } from './decisions.ts'
import { contractsOf, strangeChains } from './hints.ts'
import type { PublishedSlugs } from './published-slugs.ts'

/** A registry that several reviewers may change. */
export interface SharedRegistry {
  /** Its folder, for messages. */
  readonly name: string
  readonly entries: () => readonly unknown[]
  /** Runs work under the lock of the registry. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /** Writes the file of an asset that has none. */
  put(asset: Entry, text: string): void
  /** Removes the file that {@link put} wrote. */
  remove(asset: Entry): void
}

interface Wish {
  readonly isVerified: boolean
  /** Reason code, if not the default one. */
  readonly code?: string | undefined
  /** Public text that replaces the standard text of the reason. */
  readonly note?: string | undefined
  /** Slug to use instead of the one derived from the request. */
  readonly slug?: string | undefined
  /** Slug of the delisted asset to list again with its history. The request and the registry record it. */
  readonly relist?: string | undefined
}

export interface ApprovalEdge {
  readonly queue: Queue
  readonly registry: SharedRegistry
  readonly published: PublishedSlugs
  /** In ms since 1970. */
  readonly now: number
  readonly show: (text: string) => void
  readonly confirm: () => Promise<boolean>
}

type Proposal = Awaited<ReturnType<typeof proposalFor>>

/**
 * Approves a request for a new listing: shows the proposed file, asks for confirmation, and writes it and the request. Nothing is locked while it asks. The proposal is computed again under the lock of the registry. If it differs,
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
    const after = await edge.registry.exclusively(async () => {
      const current = await proposalFor(id, wish, edge)
      return keyOf(current) === keyOf(shown) ? record(id, current, wish, edge) : null
    })
    if (after) return after
    edge.show('Another reviewer changed the registry or the request in the meantime. The changes are now:')
  }
}

const keyOf = ({ entry, text }: Proposal): string => JSON.stringify([entry, text === null])

/** Writes the file, then the request. If another reviewer decided the request first, the file is removed again. */
async function record(
  id: string,
  { entry, text }: Proposal,
  wish: Wish,
  { queue, now, registry }: ApprovalEdge,
): Promise<RequestRecord> {
  if (text !== null) registry.put(entry, text)
  try {
    const updated = await queue.update(id, (current) => approved(current, entry.slug, wish, now))
    if (!updated) throw new ReviewError(`The request ${id} no longer exists.`)
    return updated
  } catch (error) {
    // If the queue did not answer, the decision may be stored: the entry stays, and the next attempt finds it.
    if (text !== null && error instanceof ReviewError) registry.remove(entry)
    throw error
  }
}

/** Returns the approved request. If it was approved before and lost its entry, no second decision is added. */
function approved(record: RequestRecord, slug: string, { code, note, relist }: Wish, now: number): RequestRecord {
  if (record.status === 'approved') return { ...record, listing: slug }
  if (code === 'relisted' && relist === undefined)
    throw new ReviewError('The reason relisted needs the delisted slug: add --relist <slug>.')
  return decide(
    record,
    { status: 'approved', listing: slug, code: relist === undefined ? code : 'relisted', note },
    now,
  )
}

/** Returns the entry, the text of its file, null if the registry has the asset already, and what is shown of both. */
async function proposalFor(id: string, wish: Wish, edge: ApprovalEdge) {
  const { queue, published, now } = edge
  const { name } = edge.registry
  const record = await queue.get(id)
  if (!record) throw new ReviewError(`The request ${id} no longer exists.`)
  const before = edge.registry.entries()
  const registry = openRegistry({ assets: before, file: name })
  const own = [...published.listed, ...registry.assets].map(({ slug }) => slug)
  if (record.status === 'approved' && record.listing !== null && own.includes(record.listing))
    throw new ReviewError(`${id} is already approved, and ${name} has ${record.listing}.`)
  // A request that cannot be approved is refused before the confirmation.
  approved(record, 'any', wish, now)
  const present = entryFor(record, registry)
  if (present) return { entry: present, text: null, shown: `${name} already has the asset, as ${present.slug}.` }

  const others = (await queue.list()).flatMap(({ request_id, status, listing }) =>
    status === 'approved' && request_id !== id && listing !== null ? [listing] : [],
  )
  const used = new Set([...own, ...others])
  const taken = { has: (slug: string) => used.has(slug) || published.formerOwner(slug) !== null }
  const slug = slugFor(record, wish, taken, published)
  const entry: Entry = {
    ...entryOf(record, registry, taken, wish.isVerified),
    ...(slug === null ? {} : { slug }),
    ...(wish.relist === undefined ? {} : { relisted: true }),
  }
  const text = `${JSON.stringify(entry, null, 2)}\n`
  // An invalid registry is refused here instead of by the next build.
  openRegistry({ assets: [...before, entry], file: name })
  const strange = strangeChains(record.body, registry)
  return {
    entry,
    text,
    shown: [
      `+++ ${name}/${entry.slug}.json`,
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `+${line}`),
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

/**
 * Returns the registry entry of an approved request, with reviewed members only. Contracts on unknown chains are left out.
 * Venue symbols are never set, so that the asset takes no market from another one.
 *
 * @param taken used slugs, in the feed or the registry
 */
export function entryOf(
  { body }: RequestRecord,
  registry: Registry,
  taken: { has(slug: string): boolean },
  isVerified: boolean,
): Entry {
  const slug = body.slug !== undefined && !taken.has(body.slug) ? body.slug : freeSlug([body.name, body.symbol], taken)
  const { symbol, name, asset_type, description, website, twitter, telegram, discord } = body
  return Entry.parse({
    slug,
    symbol,
    name,
    asset_type,
    description,
    verification_status: isVerified ? 'verified' : 'unverified',
    contracts: contractsOf(body, registry).map((contract) => ({ ...contract, decimals: null })),
    links: {
      website,
      twitter,
      telegram,
      discord,
      whitepaper: body.whitepaper_url,
      source_code: body.source_code_url,
    },
  })
}

/** Returns the existing entry of a request, from an interrupted approval or by hand. */
export function entryFor({ body }: RequestRecord, registry: Registry): Entry | null {
  const asked = new Set(contractsOf(body, registry).map(({ chain, address }) => `${chain} ${address}`))
  return (
    registry.assets.find(
      (entry) =>
        (entry.name === body.name && entry.symbol === body.symbol) ||
        registry.contractsOf(entry).some(({ chain, address }) => asked.has(`${chain} ${address}`)),
    ) ?? null
  )
}
