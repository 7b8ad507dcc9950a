import type { TokenContract } from '../contract/asset.ts'
import { groupBy } from '../contract/order.ts'
import { type KnownAsset, type KnownAssets, isFiat } from '../registry/known-assets.ts'
import { namesAlike } from '../registry/name-words.ts'
import type { Registry } from '../registry/registry.ts'
import { NO_FIGURES } from '../sources/aggregator.ts'
import type { Report } from '../sources/collect.ts'
import type { ReportedCurrency, Sighting } from '../sources/source.ts'
import { contractsDiffer, distinct, shareContract } from './contracts.ts'
import { hasAnswered } from './health.ts'
import { LIMITS } from './methodology.ts'

/** Identities beside those of the aggregators. */
export interface AssetDirectory {
  readonly known: KnownAssets
  readonly lists: ReadonlyMap<string, ReadonlyMap<string, ReportedCurrency>>
}

export type ExchangeListing = ReturnType<typeof listingOf>

/** A symbol that a venue trades, with what its own list says of it. */
type VenueCurrency = Pick<KnownAsset, 'contracts'> & { readonly name: string | null }

/** The assets that the exchanges of a run trade, as far as the directory and the lists know them. */
export function exchangeListings(reports: readonly Report[], registry: Registry, { known, lists }: AssetDirectory) {
  return [...nodesBySymbol(reports, registry, lists)].flatMap(([symbol, nodes]) => {
    const candidates = known.get(symbol) ?? []
    const listed = nodes.filter(({ name, contracts }) => name !== null || contracts.length > 0)
    const named = candidates
      .map((asset) => ({ asset, own: listed.filter((node) => isOf(node, asset)) }))
      .filter(({ own }) => own.length > 0)
    const unnamed = listed.filter((node) => !candidates.some((asset) => isOf(node, asset)))
    const clusters = clustersOf(symbol, unnamed)
    const [only] = candidates
    // Where no list says anything, the one asset that the directory knows is meant.
    if (named.length + clusters.length === 0)
      return only && candidates.length === 1 ? [listingOf(only, [], true, nodes.length)] : []
    const listings = mergedByContract([...named, ...clusters])
    const isOnlyOne = listings.length === 1
    return listings
      .filter(({ asset, own }) => isOnlyOne || candidates.includes(asset) || own.length >= LIMITS.sources)
      .map(({ asset, own }) => listingOf(asset, own, isOnlyOne, nodes.length))
  })
}

interface Listed {
  readonly asset: KnownAsset
  readonly own: readonly VenueCurrency[]
}

/** Makes one of those that share a contract: two names of one token. The first keeps its name. */
function mergedByContract(all: readonly Listed[]): readonly Listed[] {
  const merged: (Listed & { own: readonly VenueCurrency[]; contracts: readonly TokenContract[] })[] = []
  for (const { asset, own } of all) {
    const contracts = [asset, ...own].flatMap((one) => one.contracts)
    const same = merged.find((one) => shareContract(contracts, one.contracts))
    if (!same) merged.push({ asset, own, contracts })
    else {
      same.own = [...new Set([...same.own, ...own])]
      same.contracts = [...same.contracts, ...contracts]
    }
  }
  return merged
}

function nodesBySymbol(reports: readonly Report[], registry: Registry, lists: AssetDirectory['lists']) {
  const nodes = reports.flatMap((report) => {
    const { source, quotes } = report
    if (source.type !== 'exchange' || !hasAnswered(report)) return []
    const symbols = new Set(quotes.flatMap(({ base, last }) => (last === null || isFiat(base) ? [] : [base])))
    return [...symbols].map((symbol) => {
      const { name = null, contracts = [] } = lists.get(source.id)?.get(symbol) ?? {}
      return { symbol, name, contracts: registry.contractsSeen(source.id, contracts) }
    })
  })
  return groupBy(nodes, ({ symbol }) => symbol)
}

/** Whether a venue's row is of an asset: they share a contract, or have like names and no chain with two contracts. */
const isOf = (node: VenueCurrency, { name, contracts }: Pick<KnownAsset, 'name' | 'contracts'>): boolean =>
  shareContract(node.contracts, contracts) ||
  (node.name !== null && namesAlike(node.name, name) && !contractsDiffer(node.contracts, contracts))

function listingOf(asset: KnownAsset, nodes: readonly VenueCurrency[], isOnlyOne: boolean, venues: number) {
  const { symbol, name, coingecko } = asset
  const contracts = distinct([...asset.contracts, ...nodes.flatMap((node) => node.contracts)])
  const id = coingecko ?? `${symbol} ${name}`
  const slugs = id.includes(' ') ? [name] : [id, name]
  const sighting: Sighting = { kind: 'sighting', ...NO_FIGURES, id: id.slice(0, 200), slugs, symbol, name }
  return {
    sighting,
    contracts,
    /** Whether the venues' lists know one asset of the symbol, or else the directory does, and it is this one. */
    isOnlyOne,
    venues,
    isIdentified: coingecko !== null || asset.contracts.length > 0,
  }
}

function clustersOf(symbol: string, nodes: readonly VenueCurrency[]): readonly Listed[] {
  const clusters: { readonly asset: KnownAsset; readonly own: VenueCurrency[] }[] = []
  for (const node of nodes) {
    const { name } = node
    const cluster = clusters.find(({ asset, own }) =>
      isOf(node, { name: asset.name, contracts: own.flatMap(({ contracts }) => contracts) }),
    )
    if (cluster) cluster.own.push(node)
    else if (name !== null) clusters.push({ asset: { symbol, name, coingecko: null, contracts: [] }, own: [node] })
  }
  return clusters
}
