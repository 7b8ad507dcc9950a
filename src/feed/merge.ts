import type { Asset, TokenContract } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { PREFIX } from '../contract/words.ts'
import type { Registry } from '../registry/registry.ts'
import type { Profile, Sighting } from '../sources/source.ts'
import { confidenceOf } from './confidence.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { Priced } from './price.ts'
import { sum } from './statistics.ts'
import { hoursSince, isoOf } from './time.ts'
import { conflictOf, verificationOf } from './verify.ts'

const MOST_TAGS = 20
/** What changes so seldom that it may be carried for longer. */
const FACTS = new Set(['circulating_supply', 'total_supply', 'max_supply', 'ath_usd'])

/** What a listing is made of beside who it is. */
export interface Made {
  readonly markets: readonly Market[]
  readonly priced: Priced
  /** When the price was true, in ms; null without a price. */
  readonly pricedAt: number | null
  readonly profiles: readonly Profile[]
  /** Set when every source that knew the asset answered, and none names it any more: since when, as published. */
  readonly lastSeen: string | null
  /** When a source last told of the asset, as published. */
  readonly heardAt: string | null
  /** Change of the venues, for an asset whose change no aggregator knows. */
  readonly venueChange: number | null
}

/** One published asset, without its rank: that takes all of them. */
export function assetOf(identity: Identity, made: Made, registry: Registry, now: number): Asset {
  const { slug, entry, before, sighted } = identity
  const { markets, priced, lastSeen } = made
  const old = before?.asset ?? null
  const heard = sighted.length > 0
  const sightings = sighted.map(({ sighting }) => sighting)
  const carried = new Map<string, string>(
    priced.basis.method === 'carried' && old?.last_updated != null ? [['price_usd', old.last_updated]] : [],
  )
  /** What was known before, as long as it may stand; noted as carried. */
  const keep = (name: keyof Sighting & keyof Asset): number | null => {
    const [value, at] = [numberOf(old?.[name]), old?.carried?.[name] ?? made.heardAt]
    const hours = FACTS.has(name) ? STALENESS.fact_hours : STALENESS.carry_hours
    if (value === null || at === null || hoursSince(at, now) > hours) return null
    carried.set(name, at)
    return value
  }
  /** The first source that knows; where no source answered for the asset, what was known before. */
  const pick = (name: keyof Sighting & keyof Asset, round: (value: number) => number): number | null => {
    if (!heard) return keep(name)
    const value = sightings.map((sighting) => numberOf(sighting[name])).find((value) => value !== null)
    return value === undefined ? null : round(value)
  }
  const keepIfSilent = (name: keyof Sighting & keyof Asset): number | null => (heard ? null : keep(name))
  const [first] = sightings
  const symbol = entry?.symbol ?? first?.symbol.toUpperCase() ?? old?.symbol ?? slug
  const name = entry?.name ?? first?.name ?? old?.name ?? slug
  const contracts = contractsOf(identity, registry)
  const supply = pick('circulating_supply', roundMoney)
  const total = pick('total_supply', roundMoney)
  // What the registry says now comes before what was known.
  const max = (heard ? pick('max_supply', roundMoney) : null) ?? entry?.max_supply ?? keepIfSilent('max_supply')
  const worth = (coins: number | null) =>
    coins === null || priced.price_usd === null ? null : roundMoney(coins * priced.price_usd)
  // Where no source tells, the venues of this run come before what was known.
  const volume =
    (heard ? pick('volume_24h_usd', roundMoney) : null) ?? volumeOf(markets) ?? keepIfSilent('volume_24h_usd')
  const change =
    (heard ? pick('percent_change_24h', roundPercent) : null) ?? made.venueChange ?? keepIfSilent('percent_change_24h')
  const last_updated = made.pricedAt === null ? null : isoOf(made.pricedAt)
  const profile = profileOf(identity, made.profiles, isoOf(now))

  const asset = {
    asset_id: slug,
    slug,
    symbol,
    name,
    verification_status: verificationOf(identity),
    source_label: sighted[0]?.source.label ?? old?.source_label ?? registry.label,
    token_page: `/token/${slug}`,
    market_cap_rank: null,
    price_usd: priced.price_usd,
    percent_change_24h: change,
    market_cap_usd: worth(supply) ?? pick('market_cap_usd', roundMoney),
    volume_24h_usd: volume,
    circulating_supply: supply,
    exchange_count: new Set(markets.map(({ exchange_id }) => exchange_id)).size,
    price_confidence: confidenceOf(priced, volume, last_updated === null ? 0 : hoursSince(last_updated, now)),
    listing_status: statusOf(identity, made, now),
    last_updated,
    percent_change_1h: pick('percent_change_1h', roundPercent),
    percent_change_7d: pick('percent_change_7d', roundPercent),
    high_24h_usd: pick('high_24h_usd', roundPrice),
    low_24h_usd: pick('low_24h_usd', roundPrice),
    fully_diluted_valuation_usd: worth(max ?? total) ?? pick('fully_diluted_valuation_usd', roundMoney),
    total_supply: total,
    max_supply: max,
    ath_usd: pick('ath_usd', roundPrice),
    ath_date: heard ? dateOf(sightings) : carried.has('ath_usd') ? (old?.ath_date ?? null) : null,
    tags: [...new Set([...(entry?.tags ?? []), ...profile.tags])].slice(0, MOST_TAGS),
    logo_url: sightings.map(({ logo_url }) => logo_url).find((url) => url !== null) ?? old?.logo_url ?? null,
    contracts,
    asset_type: entry?.asset_type ?? profile.asset_type ?? (contracts.length > 0 ? 'token' : null),
    description: entry?.description ?? profile.description,
    links: {
      website: entry?.links.website ?? profile.links.website,
      whitepaper: entry?.links.whitepaper ?? profile.links.whitepaper,
      source_code: entry?.links.source_code ?? profile.links.source_code,
      twitter: entry?.links.twitter ?? profile.links.twitter,
      telegram: entry?.links.telegram ?? profile.links.telegram,
      discord: entry?.links.discord ?? profile.links.discord,
    },
    explorers: profile.explorers,
    market_count: markets.length,
    markets_endpoint: `${PREFIX}/assets/${slug}/markets`,
    history_endpoint: `${PREFIX}/history/${slug}`,
    external_ids: externalIds(identity),
    aliases: [...new Set([...(old?.aliases ?? []), ...(old && old.slug !== slug ? [old.slug] : [])])],
    replaced_by: null,
    notice: noticeOf(identity),
    first_listed: old?.first_listed ?? isoOf(now),
    profile_updated: profile.updated,
    last_seen: lastSeen,
    price_basis: priced.basis,
  }
  const names = [...carried].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { ...asset, carried: names.length === 0 ? null : Object.fromEntries(names) }
}

function noticeOf(identity: Identity): string | null {
  const [withheld] = identity.withheld
  if (withheld) return `${withheld.source.label} describes another asset under this id: what it says is held back.`
  return identity.entry?.notice ?? (conflictOf(identity) ? 'The sources name different contracts on one chain.' : null)
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const dateOf = (sightings: readonly Sighting[]): string | null => {
  const at = sightings.find(({ ath_usd }) => ath_usd !== null)?.ath_at ?? null
  return at === null ? null : isoOf(at)
}

const volumeOf = (markets: readonly Market[]): number | null => {
  const volumes = markets.flatMap(({ is_stale, is_outlier, volume_24h_usd }) =>
    is_stale || is_outlier ? [] : (volume_24h_usd ?? []),
  )
  return volumes.length === 0 ? null : roundMoney(sum(volumes))
}

/** The registry's contracts first, then what the sources add; what was known before where no source speaks of any. */
function contractsOf({ entry, sighted, before }: Identity, registry: Registry): TokenContract[] {
  const seen = sighted.flatMap(({ contracts }) => contracts)
  const all = [
    ...(entry ? registry.contractsOf(entry) : []),
    ...(seen.length > 0 ? seen : (before?.asset.contracts ?? [])),
  ]
  const unique = new Map<string, TokenContract>()
  for (const contract of all) {
    const key = `${contract.chain} ${contract.address}`
    const known = unique.get(key)
    unique.set(key, known ? { ...known, decimals: known.decimals ?? contract.decimals } : contract)
  }
  return [...unique.values()]
}

const externalIds = ({ entry, before, sighted }: Identity): Record<string, string> =>
  Object.fromEntries(
    [
      ...new Map([
        ...Object.entries(before?.asset.external_ids ?? {}),
        ...Object.entries(entry?.external_ids ?? {}),
        ...sighted.map(({ source, sighting }) => [source.id, sighting.id] as const),
      ]),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

const NO_LINKS = { website: null, whitepaper: null, source_code: null, twitter: null, telegram: null, discord: null }

/** What a source told of the asset in this run; else what was known before. */
function profileOf({ before }: Identity, profiles: readonly Profile[], at: string) {
  const [profile] = profiles
  if (!profile) {
    const { tags = [], asset_type = null, description = null, links = NO_LINKS, explorers = [] } = before?.asset ?? {}
    return { tags, asset_type, description, links, explorers, updated: before?.asset.profile_updated ?? null }
  }
  return {
    ...profile,
    explorers: profile.explorers.map((url) => ({ name: new URL(url).hostname.replace(/^www\./, ''), url })),
    updated: at,
  }
}

function statusOf(
  { entry, sighted, before }: Identity,
  { priced, markets, lastSeen }: Made,
  now: number,
): Asset['listing_status'] {
  if (lastSeen !== null && hoursSince(lastSeen, now) > STALENESS.delist_hours) return 'delisted'
  if (priced.price_usd !== null) return 'active'
  const neverTraded = before === null || before.asset.listing_status === 'preview'
  return entry && sighted.length === 0 && markets.length === 0 && neverTraded ? 'preview' : 'inactive'
}
