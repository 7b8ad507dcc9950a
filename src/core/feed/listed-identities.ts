import type { Asset, TokenContract } from '../contract/asset.ts'
import { groupBy } from '../contract/order.ts'
import { excerpt } from '../contract/visible.ts'
import type { ExchangeListing } from './exchange-listings.ts'
import { EXCHANGES } from './listing.ts'
import { type Identity, namesOf } from './identify.ts'
import { LIMITS } from './methodology.ts'
import type { Matched, Quoted } from './quotes.ts'
import { factorBetween, median } from './statistics.ts'

/**
 * The identities without new ones that only exchanges know and too few of them price. Where no aggregator ever
 * answered, what several exchanges trade, or the directory has an id or a contract of, is listed even without a price.
 */
export function worthListing(
  identities: readonly Identity[],
  traded: readonly ExchangeListing[],
  matched: readonly Matched[],
  isAlone: boolean,
) {
  const bySlug = groupBy(matched, ({ slug }) => slug)
  const venuesOf = (slug: string) => new Set(bySlug.get(slug)?.map(({ market }) => market.exchange_id))
  const found = new Map(traded.map((one) => [one.sighting, one]))
  return identities.filter(({ slug, entry, before, sighted }) => {
    const [only] = sighted
    if (entry !== null || before !== null || only?.source.id !== EXCHANGES) return true
    const one = found.get(only.sighting)
    if (venuesOf(slug).size >= LIMITS.sources) return true
    return isAlone && one !== undefined && (one.isIdentified || one.venues >= LIMITS.sources)
  })
}

/**
 * Returns the identities, each without its last price where the markets that made it turned out to be those of another
 * coin and still have that price: nothing may be carried from it or compared with it.
 */
export function withoutDisplacedPrices<One extends Identity>(
  identities: readonly One[],
  { matched, held }: Pick<Quoted, 'matched' | 'held'>,
): One[] {
  const owners = new Map<string, { readonly slug: string | null; readonly price_usd: number | null }>()
  for (const { slug, market } of matched)
    owners.set(`${market.exchange_id} ${market.base_symbol}`, { slug, price_usd: market.price_usd })
  for (const { venue, symbol, price_usd } of held) owners.set(`${venue} ${symbol}`, { slug: null, price_usd })

  const isDisplaced = ({ slug, before }: Identity): boolean => {
    const last = before?.asset.price_usd ?? null
    const used = (before?.markets ?? []).filter(
      ({ exchange_type, used_in_price }) => used_in_price && exchange_type === 'cex',
    )
    if (last === null || used.length === 0) return false
    const now = used.map(({ exchange_id, base_symbol }) => owners.get(`${exchange_id} ${base_symbol}`))
    if (now.some((owner) => owner === undefined || owner.slug === slug)) return false
    const prices = now.flatMap((owner) => owner?.price_usd ?? [])
    return prices.length > 0 && factorBetween(median(prices), last) <= 1 + LIMITS.same_percent / 100
  }
  return identities.map((identity) => {
    if (!identity.before || !isDisplaced(identity)) return identity
    const { asset, markets } = identity.before
    return { ...identity, before: { asset: { ...asset, price_usd: null, last_updated: null }, markets } }
  })
}

/** A name in the setting `only` names no listing, or several. The message has a sentence for each such name. */
class SelectionError extends Error {
  override readonly name = 'SelectionError'
}

/**
 * Returns the identities that a publisher names: by slug, by contract as `<chain>:<address>`, or by a symbol that one alone has.
 *
 * @throws SelectionError for a name that is no listing's, or a symbol that several have
 */
export function chosenListings(
  identities: readonly Identity[],
  only: readonly string[],
  contractsOf: (slug: string) => readonly TokenContract[],
): readonly Identity[] {
  const named = only.map((name) => ({ name, own: namedBy(name, identities, contractsOf) }))
  const faults = named.filter(({ own }) => own.length !== 1)
  if (faults.length > 0) throw new SelectionError(faults.map(({ name, own }) => faultOf(name, own)).join('\n'))
  const chosen = new Set(named.flatMap(({ own }) => own))
  return identities.filter((identity) => chosen.has(identity))
}

/** Whether a name is that of a published listing: its slug, a former one, its symbol or one of its contracts. */
export const isNamed = ({ slug, aliases, symbol, contracts }: Asset, name: string): boolean =>
  [slug, ...aliases, symbol, ...contracts.map(({ chain, address }) => `${chain}:${address}`)].some(
    (own) => own.toLowerCase() === name.toLowerCase(),
  )

function namedBy(
  name: string,
  identities: readonly Identity[],
  contractsOf: (slug: string) => readonly TokenContract[],
) {
  const bySlug = identities.find(({ slug, before }) => slug === name || before?.asset.aliases.includes(name))
  if (bySlug) return [bySlug]
  const wanted = name.toLowerCase()
  return identities.filter((identity) =>
    name.includes(':')
      ? contractsOf(identity.slug).some(({ chain, address }) => `${chain}:${address}`.toLowerCase() === wanted)
      : namesOf(identity).some(({ symbol }) => symbol.toLowerCase() === wanted),
  )
}

function faultOf(name: string, found: readonly Identity[]): string {
  const slugs = found.map(({ slug }) => slug).toSorted()
  return slugs.length === 0
    ? `only: no source lists "${excerpt(name)}". Name a slug, such as "bitcoin", or a contract, such as "ethereum:0x…".`
    : `only: "${excerpt(name)}" is the name of ${slugs.join(', ')}. Name one of these slugs.`
}
