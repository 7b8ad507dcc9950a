import * as z from 'zod'
import type { TokenContract } from '../contract/asset.ts'
import { EVM_ADDRESS } from '../contract/names.ts'
import type { ContractSighting } from '../contract/observations.ts'
import { logoFile } from '../contract/site-files.ts'
import { excerpt } from '../contract/visible.ts'
import { RegistryError, builtInAssets, ownSlugOf } from './asset-files.ts'
import chains from './chains.json' with { type: 'json' }
import wrapped from './wrapped.json' with { type: 'json' }
import { logoOf } from './logos.ts'
import { Chain, Entry } from './schema.ts'

export { RegistryError } from './asset-files.ts'
export type { Entry } from './schema.ts'

export type Registry = ReturnType<typeof openRegistry>

interface RegistryOptions {
  readonly label?: string
  /** Sources that use the ids, chain names and symbols of another: `{ sample: 'coingecko' }`. */
  readonly spelledAs?: Readonly<Record<string, string>>
  readonly assets?: unknown
  readonly file?: string
  /** Address of the site that has the logos, with a slash at its end; null, or not https: they have paths. */
  readonly site?: string | null
}

/** Slugs of the cryptocurrencies that markets are quoted in. */
const REFERENCES = new Set(
  'bitcoin ethereum tether usd-coin dai first-digital-usd true-usd binance-usd binancecoin'.split(' '),
)

const FORMS = new Map(Object.entries(wrapped).flatMap(([category, ids]) => ids.map((id) => [id, [category]] as const)))

type SpelledAs = (source: string) => string

export function openRegistry(options: RegistryOptions = {}) {
  const file = options.file ?? 'src/core/registry/assets'
  const entries = read(file, z.array(Entry), options.assets ?? builtInAssets())
  const listed = read('src/core/registry/chains.json', z.array(Chain), chains)
  const table = new Map(listed.map((chain) => [chain.chain, chain]))
  refuseFaults(file, entries, table)
  const spelledAs = (source: string) => options.spelledAs?.[source] ?? source
  return {
    label: options.label ?? 'Registry',
    assets: entries,
    references: new Map(entries.flatMap(({ slug, symbol }) => (REFERENCES.has(slug) ? [[symbol, slug] as const] : []))),
    ...chainLookUps(table, spelledAs),
    ...symbolLookUps(entries, spelledAs),
    logoUrl: (slug: string, ids: Readonly<Record<string, string>>): string | null =>
      logoOf(ids) === null ? null : (options.site?.startsWith('https://') ? options.site : '/') + logoFile(slug),
    formsOf: (source: string, id: string): readonly string[] =>
      spelledAs(source) === 'coingecko' ? (FORMS.get(id) ?? []) : [],
    externalIds: ({ slug, external_ids }: Entry) => [
      ...Object.entries(external_ids),
      // Without an id at the other source, the slug is used.
      ...Object.entries(options.spelledAs ?? {}).map(([source, as]) => [source, external_ids[as] ?? slug] as const),
    ],
  }
}

function chainLookUps(table: ReadonlyMap<string, Chain>, spelledAs: SpelledAs) {
  const byPlatform = new Map(
    [...table.values()].flatMap(({ chain, spellings }) =>
      Object.entries({ coingecko: chain, ...spellings }).flatMap(([source, platform]) =>
        platform === null ? [] : [[`${source} ${platform}`, chain] as const],
      ),
    ),
  )
  const chainOf = (source: string, platform: string): string | null =>
    byPlatform.get(`${spelledAs(source)} ${platform}`) ?? null
  const normalizeAddress = (chain: string, address: string): string =>
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
  return {
    chainOf,
    platformOf(source: string, chain: string): string | null {
      const name = spelledAs(source)
      return (name === 'coingecko' ? table.get(chain)?.chain : table.get(chain)?.spellings[name]) ?? null
    },
    normalizeAddress,
    contractsOf: ({ contracts }: Entry): TokenContract[] =>
      contracts.map(({ chain, address, decimals }) => contractOf(chain, address, decimals)),
    contractsSeen: (source: string, contracts: readonly ContractSighting[]): TokenContract[] =>
      contracts.flatMap(({ platform, address, decimals }) => {
        const chain = chainOf(source, platform)
        return chain === null || !/^[\x21-\x7e]{1,200}$/.test(address) ? [] : [contractOf(chain, address, decimals)]
      }),
    poolUrl: (chain: string, address: string): string | null =>
      table.get(chain)?.address_url?.replace('{address}', encodeURIComponent(address)) ?? null,
  }
}

/** The symbols of an entry, each with the venue that has it, or `*`. */
const symbolsOf = ({ exchange_symbols, former_symbols = [] }: Entry) => [
  ...Object.entries(exchange_symbols),
  ...former_symbols.map((symbol) => ['*', symbol] as const),
]

function symbolLookUps(entries: readonly Entry[], spelledAs: SpelledAs) {
  const slugs = new Map(
    entries.flatMap((entry) => symbolsOf(entry).map(([venue, symbol]) => [`${venue} ${symbol}`, entry.slug] as const)),
  )
  const former = new Set(entries.flatMap(({ former_symbols }) => former_symbols ?? []))
  const bound = new Set(
    entries.flatMap(({ slug, exchange_symbols, ecosystem }) => {
      const venues = Object.keys(exchange_symbols)
      return ecosystem !== null || (venues.length > 0 && !venues.includes('*')) ? [slug] : []
    }),
  )
  return {
    listingAt: (venue: string, base: string): string | undefined =>
      slugs.get(`${spelledAs(venue)} ${base}`) ?? slugs.get(`* ${base}`),
    isFormer: (symbol: string): boolean => former.has(symbol),
    hasSpellings: (slug: string): boolean => bound.has(slug),
  }
}

function read<Schema extends z.ZodArray>(file: string, schema: Schema, rows: unknown): z.infer<Schema> {
  const result = schema.safeParse(rows)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const [index, ...path] = issue?.path ?? []
  const named = Array.isArray(rows) && typeof index === 'number' ? ownSlugOf(rows[index]) : null
  const entry = typeof index === 'number' ? (named ?? `entry ${index + 1}`) : 'the whole file'
  throw new RegistryError(`${file}: ${excerpt(`${entry}: ${path.join('.') || 'entry'}: ${issue?.message}`)}`)
}

/** Refuses entries with a common name, which would merge two assets, and contracts on unknown chains. */
function refuseFaults(file: string, entries: readonly Entry[], table: ReadonlyMap<string, Chain>): void {
  const owners = new Map<string, string>()
  for (const entry of entries) {
    const { slug, external_ids, contracts } = entry
    const names = [
      `slug ${slug}`,
      ...Object.entries(external_ids).map(([source, id]) => `${source} id ${id}`),
      ...symbolsOf(entry).map(([venue, symbol]) => `symbol ${symbol} at ${venue}`),
      ...contracts.map(({ chain, address }) => `contract ${chain} ${address.toLowerCase()}`),
    ]
    for (const name of names) {
      const owner = owners.get(name)
      if (owner !== undefined) throw new RegistryError(`${file}: ${owner} and ${slug} both claim ${name}`)
      owners.set(name, slug)
    }
    const stray = contracts.find(({ chain }) => !table.has(chain))
    if (stray) throw new RegistryError(`${file}: ${slug}: contracts: chains.json has no ${stray.chain}`)
  }
}
