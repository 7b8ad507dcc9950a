import { group } from 'd3-array'
import * as z from 'zod'
import { type Member, type Without, reader, template } from './dialect.ts'
import type { Candles, ContractSighting, Facts, Http, Observation, Source, Wants } from './source.ts'
import { optional, rejected, rows } from './source.ts'
import { Id, IsoTime, Link, NonNegative, ReportedPercent, Positive, Text } from './wire.ts'

/** What a listing may report. Market cap and supplies are 0 where they are unknown. */
const FIGURES = {
  rank: Positive.pipe(z.int().nullable()),
  price_usd: Positive,
  percent_change_1h: ReportedPercent,
  percent_change_24h: ReportedPercent,
  percent_change_7d: ReportedPercent,
  high_24h_usd: Positive,
  low_24h_usd: Positive,
  market_cap_usd: Positive,
  fully_diluted_valuation_usd: Positive,
  volume_24h_usd: NonNegative,
  circulating_supply: Positive,
  total_supply: Positive,
  max_supply: Positive,
  ath_usd: Positive,
  ath_at: IsoTime,
  at: IsoTime,
} as const

type Figure = keyof typeof FIGURES

/** What is known of a listing of which a source reports no figure. */
export const NO_FIGURES = { contracts: [], ...z.object(FIGURES).parse({}) }

interface ListingDialect {
  /** The figures that a row has under our names, beside `id`, `symbol` and `name`. */
  readonly same: readonly Figure[]
  readonly row: Readonly<Partial<Record<Figure | 'slug', Member>>>
  readonly slugsOf?: (id: string, symbol: string) => readonly string[]
  /** Whether 0 is written for what was never measured, such as a change. */
  readonly isZeroUnknown?: true
  readonly without?: Without
}

interface AggregatorDialect extends Omit<Facts, 'type' | 'slow'> {
  readonly list: (http: Http, wants: Pick<Wants, 'listings' | 'ids'>) => Promise<readonly unknown[]>
  readonly listings: ListingDialect
  /** Lists of contracts, each of which is kept for a day: its name in a reason, and the contracts of a row. */
  readonly contracts?: readonly {
    readonly what: string
    readonly path: string
    readonly contractsIn: (row: unknown) => readonly (ContractSighting & { readonly id: string })[]
  }[]
  readonly profiles?: { readonly path: string; readonly read: (profiles: readonly unknown[]) => Iterable<Observation> }
  readonly candles?: Candles
}

const List = z.array(z.unknown())
const Named = z.object({ id: Id })

export function aggregator({ list, listings: dialect, contracts = [], profiles, ...facts }: AggregatorDialect): Source {
  const profileAt = template(profiles?.path ?? '')
  return {
    ...facts,
    type: 'aggregator',
    slow: contracts.map(({ path }) => ({ path, hours: 24 })),

    async observe(http, wants) {
      const [listed, known] = await Promise.all([
        list(http, wants),
        optional(
          contracts,
          ({ what }) => what,
          async ({ path, contractsIn }) => (await http.json(path, List)).flatMap(contractsIn),
        ),
      ])
      const ids = listed.flatMap((row) => Named.safeParse(row).data?.id ?? [])
      const details = await optional(
        profiles ? wants.profiles(ids) : [],
        (id) => `profile of ${id}`,
        (id) => http.json(profileAt({ id: encodeURIComponent(id) }), z.unknown()),
      )
      const contractsOf = group(known.answers.flat(), ({ id }) => id)
      return [
        ...sightings(dialect, listed, contractsOf),
        ...(profiles?.read(details.answers) ?? []),
        ...known.missing,
        ...details.missing,
      ]
    },
  }
}

/** Asks for pages up to the empty one, as a short one need not be the last, but for twice as many as would do. */
export const paged =
  (dialect: {
    /** With `{page}`, from 1 on, or `{start}`, the number of rows before it. */
    readonly path: string
    readonly perPage: number
    readonly ids?: string
    readonly listings: number
    readonly schema?: z.ZodType<readonly unknown[]>
  }): AggregatorDialect['list'] =>
  async (http, { listings: wanted, ids = null }) => {
    const { perPage, schema = List } = dialect
    const chosen = dialect.ids !== undefined && ids !== null && ids.length <= perPage ? ids : []
    const ofIds = chosen.length > 0 ? `&${dialect.ids}=${chosen.map(encodeURIComponent).join(',')}` : ''
    const pathOf = template(dialect.path + ofIds)
    const listings = chosen.length || (wanted ?? dialect.listings)
    const pages = chosen.length > 0 ? 1 : 2 * Math.ceil(listings / perPage)
    const listed: unknown[] = []
    for (let page = 1; listed.length < listings && page <= pages; page++) {
      const rows = await http.json(pathOf({ page, start: (page - 1) * perPage }), schema)
      if (rows.length === 0) break
      listed.push(...rows)
    }
    return listed.slice(0, listings)
  }

const membersOf = ({ same, row }: ListingDialect) => ({
  id: 'id',
  symbol: 'symbol',
  name: 'name',
  price_usd: 'price_usd',
  ...Object.fromEntries(same.map((name) => [name, name])),
  ...row,
})

const Listing = z.object({ id: Id, symbol: Text(64), name: Text(200), slug: Text(200), ...FIGURES })

/** A row of an id that came before is skipped: a listing that overtakes another between two requests comes twice. */
function sightings(
  dialect: ListingDialect,
  listed: readonly unknown[],
  contracts: ReadonlyMap<string, readonly ContractSighting[]>,
): Iterable<Observation> {
  const { slugsOf, isZeroUnknown, without } = dialect
  const members = membersOf(dialect)
  const seen = new Set<string>()
  const priceIn = reader(members.price_usd)
  const sightingOf = ({ id, slug, symbol, ...row }: z.infer<typeof Listing>, item: unknown): Observation => {
    if (seen.has(id)) return { kind: 'skipped', reason: 'listed twice' }
    seen.add(id)
    // A price that is missing is no price that is unknown: the source has renamed it.
    if (priceIn(item) === undefined) return rejected(`${members.price_usd}: missing`)
    // Zeros beside no price are unknown, too.
    const measured = (value: number | null) => (value === 0 && (isZeroUnknown || row.price_usd === null) ? null : value)
    return {
      ...row,
      kind: 'sighting',
      id,
      slugs: slugsOf?.(id, symbol) ?? [slug],
      symbol: symbol.toUpperCase(),
      contracts: contracts.get(id) ?? [],
      percent_change_1h: measured(row.percent_change_1h),
      percent_change_24h: measured(row.percent_change_24h),
      percent_change_7d: measured(row.percent_change_7d),
      volume_24h_usd: measured(row.volume_24h_usd),
    }
  }
  return rows(Listing, listed, sightingOf, { members: { slug: members.id, ...members }, without })
}

export const ReportedLinks = z.array(Link).catch([])

export const firstOf = (urls: readonly (string | null)[]): string | null => urls.find((url) => url !== null) ?? null

export const textsIn = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.filter((text) => text !== null)),
]
