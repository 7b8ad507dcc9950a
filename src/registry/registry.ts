import * as z from 'zod'
import type { TokenContract } from '../contract/asset.ts'
import { EVM_ADDRESS } from '../contract/names.ts'
import assets from './assets.json' with { type: 'json' }
import chains from './chains.json' with { type: 'json' }
import { Chain, Entry } from './schema.ts'

export type { Entry } from './schema.ts'

/** A registry that cannot be read. The message names the entry, the member and what is wrong with it. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
}

/** A contract as a source spells it. */
interface Spelled {
  readonly platform: string
  readonly address: string
  readonly decimals: number | null
}

/** Reviewed facts, with the look-ups that the feed needs. */
export interface Registry {
  /** Label of rows that only the registry knows. */
  readonly label: string
  readonly assets: readonly Entry[]
  /** The listing that each crypto currency markets are quoted in is, by its symbol. */
  readonly references: ReadonlyMap<string, string>
  /** Our name of a chain that a source names; null where it is not one of ours. */
  chainOf(source: string, platform: string): string | null
  /** A source's name of a chain of ours; null where it has none. */
  platformOf(source: string, chain: string): string | null
  normalizeAddress(chain: string, address: string): string
  contractsOf(entry: Entry): TokenContract[]
  contractsSeen(source: string, contracts: readonly Spelled[]): TokenContract[]
  poolUrl(chain: string, address: string): string | null
  /** The listing that a base symbol of a venue is, as far as the registry knows. */
  listingAt(venue: string, base: string): string | undefined
  /** Whether the listing is to be found under its known spellings alone. */
  hasSpellings(slug: string): boolean
  /** Ids of the assets at a source, as the registry knows them. */
  externalIds(entry: Entry): readonly (readonly [string, string])[]
}

/** What the registry is read from, and by whose names the sources go. */
export interface RegistryOptions {
  readonly label?: string
  /** Sources that use the ids, chain names and symbols of another: `{ sample: 'coingecko' }`. */
  readonly spelledAs?: Readonly<Record<string, string>>
  readonly assets?: unknown
  /** Where `assets` are from, for errors. */
  readonly file?: string
  readonly chains?: unknown
}

/** Quote currencies are measured against what the aggregators say of these. */
const REFERENCES = [
  'bitcoin',
  'ethereum',
  'tether',
  'usd-coin',
  'dai',
  'first-digital-usd',
  'true-usd',
  'binance-usd',
  'binancecoin',
]

/** @throws RegistryError */
export function openRegistry(options: RegistryOptions = {}): Registry {
  const file = options.file ?? 'src/registry/assets.json'
  const entries = read(file, z.array(Entry), options.assets ?? assets)
  const table = new Map(
    read('src/registry/chains.json', z.array(Chain), options.chains ?? chains).map((chain) => [chain.chain, chain]),
  )
  refuseTwins(file, entries)
  refuseUnknownChains(file, entries, table)
  const spelledAs = (source: string) => options.spelledAs?.[source] ?? source
  const chainBySpelling = new Map(
    [...table.values()].flatMap(({ chain, spellings }) =>
      Object.entries({ coingecko: chain, ...spellings }).flatMap(([source, platform]) =>
        platform === null ? [] : [[`${source} ${platform}`, chain] as const],
      ),
    ),
  )
  const venues = new Map(
    entries.flatMap(({ slug, exchange_symbols }) =>
      Object.entries(exchange_symbols).map(([venue, symbol]) => [`${venue} ${symbol}`, slug] as const),
    ),
  )
  const bound = new Set(
    entries
      .filter(
        ({ exchange_symbols, ecosystem }) =>
          ecosystem !== null || ('*' in exchange_symbols ? false : Object.keys(exchange_symbols).length > 0),
      )
      .map(({ slug }) => slug),
  )
  const normalizeAddress = (chain: string, address: string) =>
    table.get(chain)?.evm || EVM_ADDRESS.test(address) ? address.toLowerCase() : address
  const contractOf = (chain: string, address: string, decimals: number | null): TokenContract => {
    const known = table.get(chain)
    const normal = normalizeAddress(chain, address)
    return {
      chain,
      chain_id: known?.chain_id ?? null,
      address: normal,
      decimals,
      standard: known?.standard ?? null,
      explorer_url: known?.token_url?.replace('{address}', encodeURIComponent(normal)) ?? null,
    }
  }
  const chainOf = (source: string, platform: string) => chainBySpelling.get(`${spelledAs(source)} ${platform}`) ?? null

  return {
    label: options.label ?? 'Registry',
    assets: entries,
    references: new Map(
      entries.flatMap(({ slug, symbol }) => (REFERENCES.includes(slug) ? [[symbol, slug] as const] : [])),
    ),
    chainOf,
    platformOf: (source, chain) => {
      const name = spelledAs(source)
      return (name === 'coingecko' ? table.get(chain)?.chain : table.get(chain)?.spellings[name]) ?? null
    },
    normalizeAddress,
    contractsOf: ({ contracts }) =>
      contracts.map(({ chain, address, decimals }) => contractOf(chain, address, decimals)),
    contractsSeen: (source, contracts) =>
      contracts.flatMap(({ platform, address, decimals }) => {
        const chain = chainOf(source, platform)
        return chain === null || !/^[\x21-\x7e]{1,200}$/.test(address) ? [] : [contractOf(chain, address, decimals)]
      }),
    poolUrl: (chain, address) =>
      table.get(chain)?.address_url?.replace('{address}', encodeURIComponent(address)) ?? null,
    listingAt: (venue, base) => venues.get(`${spelledAs(venue)} ${base}`) ?? venues.get(`* ${base}`),
    hasSpellings: (slug) => bound.has(slug),
    externalIds: ({ slug, external_ids }) => [
      ...Object.entries(external_ids),
      // An asset that the other has no id of goes by its slug.
      ...Object.entries(options.spelledAs ?? {}).map(([source, as]) => [source, external_ids[as] ?? slug] as const),
    ],
  }
}

function read<Schema extends z.ZodArray>(file: string, schema: Schema, rows: unknown): z.infer<Schema> {
  const result = schema.safeParse(rows)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const [index, ...path] = issue?.path ?? []
  const entry =
    Array.isArray(rows) && typeof index === 'number' ? JSON.stringify(rows[index]).slice(0, 60) : 'the whole file'
  throw new RegistryError(`${file}: ${entry}…: ${path.join('.') || 'entry'}: ${issue?.message}`)
}

/** Two entries with one name would make one listing of two assets. */
function refuseTwins(file: string, entries: readonly Entry[]): void {
  const owners = new Map<string, string>()
  for (const { slug, external_ids, contracts, exchange_symbols } of entries) {
    const names = [
      `slug ${slug}`,
      ...Object.entries(external_ids).map(([source, id]) => `${source} id ${id}`),
      ...Object.entries(exchange_symbols).map(([venue, symbol]) => `symbol ${symbol} at ${venue}`),
      ...contracts.map(({ chain, address }) => `contract ${chain} ${address.toLowerCase()}`),
    ]
    for (const name of names) {
      const owner = owners.get(name)
      if (owner !== undefined) throw new RegistryError(`${file}: ${owner} and ${slug} both claim ${name}`)
      owners.set(name, slug)
    }
  }
}

/** A contract on a chain without facts would be published without a link, an id and a normal form. */
function refuseUnknownChains(file: string, entries: readonly Entry[], table: ReadonlyMap<string, Chain>): void {
  for (const { slug, contracts } of entries) {
    const stray = contracts.find(({ chain }) => !table.has(chain))
    if (stray) throw new RegistryError(`${file}: ${slug}: contracts: chains.json has no ${stray.chain}`)
  }
}
