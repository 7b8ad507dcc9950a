import type { Asset, Market } from '../client/answers.ts'
import { Empty, Time } from './figures.tsx'
import { amounts, percents, prices, shares } from './columns.tsx'
import { counted, price, share, words } from './format.ts'
import { Badge, Outward, ThingLink, stateOf } from './marks.tsx'
import { useSite } from './site.tsx'
import { type Column, Table } from './table.tsx'

type Basis = Asset['price_basis']

const METHODS: Readonly<Record<Basis['method'], string>> = {
  exchanges: 'The price is the mean of the middle fifth of the weight of the markets below.',
  aggregators: 'Too few exchanges quote it, so the price is the mean of the aggregators that agree.',
  exchanges_below_quorum: 'Few exchanges and no aggregator quote it, so the price is the mean of those.',
  dex: 'No exchange and no aggregator quotes it, so the price is that of the deepest pool.',
  carried: 'No source reported a price in the last run, so this is the last known one.',
  none: 'No source quotes it, so there is no price.',
}

/** Why a market does not count, where its name alone does not say so. */
const REASONS: Readonly<Record<string, string>> = {
  outlier: 'far from the other prices',
  disagrees: 'far from the other prices',
  stale: 'last trade too old',
  below_quorum: 'too few exchanges',
  negligible_weight: 'too little volume',
  not_direct: 'exchanges decide',
  last_price: 'replaced by newer prices',
}

/** A market, or an aggregator, with its part in the price. */
interface Input {
  readonly market: Market | null
  readonly id: string
  readonly pair: string
  readonly price_usd: number | null
  readonly weight: number | null
  /** Why it does not count; null: it counts, or nothing is said. */
  readonly reason: string | null
}

const nameOf = ({ market, id }: Input): string => market?.exchange_name ?? id

/** Returns every market, and every other source of the price, by weight and then by volume. */
export function inputsOf({ price_basis: { sources, excluded } }: Asset, markets: readonly Market[]): readonly Input[] {
  const keyOf = (id: string, pair: string) => `${id} ${pair}`
  const reasons = new Map(excluded.map(({ source_id, pair, reason }) => [keyOf(source_id, pair), reason]))
  const known = new Set(markets.map(({ exchange_id, pair }) => keyOf(exchange_id, pair)))
  const others = [...sources, ...excluded].filter(({ source_id, pair }) => !known.has(keyOf(source_id, pair)))
  const weightOf = (input: Input) => input.weight ?? -1
  return [
    ...markets.map((market) => ({
      market,
      id: market.exchange_id,
      pair: market.pair,
      price_usd: market.price_usd,
      weight: market.weight,
      reason: reasons.get(keyOf(market.exchange_id, market.pair)) ?? null,
    })),
    ...others.map((other) => ({
      market: null,
      id: other.source_id,
      pair: other.pair,
      price_usd: other.price_usd,
      weight: 'weight' in other ? other.weight : null,
      reason: 'reason' in other ? other.reason : null,
    })),
  ].toSorted((a, b) => weightOf(b) - weightOf(a) || volumeOf(b) - volumeOf(a))
}

const volumeOf = ({ market }: Input): number => market?.volume_24h_usd ?? 0

const Name = (input: Input) =>
  input.market === null ? (
    <>{input.id}</>
  ) : (
    <ThingLink to="exchanges" id={input.id}>
      {nameOf(input)}
    </ThingLink>
  )

const Pair = ({ market, pair }: Input) =>
  market?.trade_url == null ? <>{pair}</> : <Outward url={market.trade_url}>{pair}</Outward>

const State = ({ market, reason }: Input) =>
  reason !== null ? (
    <span class="soft">not used: {REASONS[reason] ?? words(reason)}</span>
  ) : market === null ? null : (
    <Badge state={stateOf(market)} title={market.quality_reasons.map(words).join(', ') || undefined} />
  )

const columnsOf = (total_usd: number): readonly Column<Input>[] => [
  { name: 'Exchange', of: (input) => <Name {...input} />, by: (input) => nameOf(input).toLowerCase() },
  { name: 'Pair', of: (input) => <Pair {...input} />, by: ({ pair }) => pair },
  prices('Price', (input) => input.price_usd),
  percents('Spread', ({ market }) => market?.spread_percent ?? null),
  amounts('Volume 24 h', ({ market }) => market?.volume_24h_usd ?? null),
  shares('Share', ({ market }) =>
    market === null || market.volume_24h_usd === null || total_usd === 0 ? null : market.volume_24h_usd / total_usd,
  ),
  shares('Weight', ({ weight }) => weight),
  { name: 'State', of: (input) => <State {...input} />, by: ({ reason }) => reason ?? '' },
  {
    name: 'As of',
    of: ({ market }) => market !== null && <Time at={market.last_traded_at ?? market.collected_at} />,
    by: ({ market }) => market && (market.last_traded_at ?? market.collected_at),
  },
]

/** Why the confidence in a price is low. */
const DOUBTS: Readonly<Record<NonNullable<Basis['low_confidence_reason']>, string>> = {
  split: 'the sources disagree',
  venues_split: 'the exchanges disagree',
  aggregators_disagree: 'every aggregator disagrees',
  match_disputed: 'it is not certain that these markets trade it',
  contested: 'too few sources support it',
  dispersed: 'the prices are far apart',
  weak_rate: 'the rate of the quote currency is weakly supported',
  below_quorum: 'too few exchanges',
  single_witness: 'only one source',
}

const doubtOf = ({ low_confidence_reason: reason }: Basis): string => (reason === null ? '' : `: ${DOUBTS[reason]}`)

/** How many prices count, and how much each may. */
function weightsOf({ method, sources }: Basis): string {
  if (sources.length === 0) return ''
  const names = new Set(sources.map(({ source_id }) => source_id))
  const cap = method === 'exchanges' ? ', none of which has more than 15 % or an equal share' : ''
  return `It uses ${counted(sources.length, 'price')} of ${counted(names.size, 'source')}${cap}. `
}

/** Number of markets shown at first. */
const FIRST = 50

/** How the price came about, in three sentences, and the markets with their part in it. */
export function PriceExplained({ asset, markets }: { readonly asset: Asset; readonly markets: readonly Market[] }) {
  const { root, currency } = useSite()
  const { price_usd, price_confidence: confidence, price_basis: basis } = asset
  const inputs = inputsOf(asset, markets)
  return (
    <>
      <h2 id="markets">Markets and price</h2>
      <p class="basis">
        {METHODS[basis.method]} {weightsOf(basis)}
        {price_usd !== null &&
          `The result is ${price(price_usd, currency)}, with a confidence of ${share(confidence)}${doubtOf(basis)}. `}
        <a href={`${root}method/`}>The method in full</a>
      </p>
      {inputs.length === 0 ? (
        <Empty>No exchange in the feed trades it.</Empty>
      ) : (
        <Table
          label="Markets"
          columns={columnsOf(inputs.reduce((sum, input) => sum + volumeOf(input), 0))}
          rows={inputs}
          text={(input) => `${nameOf(input)} ${input.pair}`}
          first={FIRST}
        />
      )}
    </>
  )
}
