import type { Asset, Market } from '../client/answers.ts'
import { LIMITS } from '../core/feed/methodology.ts'
import { PriceFigure } from './figures.tsx'
import { counted, share, words } from './format.ts'
import { Badge, Outward, stateOf } from './marks.tsx'
import { type Site, useSite } from './site.tsx'
import { type Column, Table, column } from './table.tsx'
import { sortedBy } from './tables.ts'

type Basis = Asset['price_basis']

const METHODS: Readonly<Record<Basis['method'], string>> = {
  exchanges: 'The price is the weighted median of the markets below: the mean of the middle fifth of their weight.',
  mixed: 'Few exchanges quote it, so aggregators count too: the price is the mean of the middle fifth of the weight.',
  aggregators: 'No exchange agrees with them, so the price is the mean of the aggregators that agree.',
  dex: 'No exchange and no aggregator quotes it, so the price is that of the deepest pool.',
  carried: 'No source reported a price in the last run, so this is the last known one.',
  none: 'No source quotes it, so there is no price.',
}

/** Why a market does not count, where its name alone does not say so. */
const REASONS: Readonly<Record<string, string>> = {
  outlier: 'far from the other prices',
  disagrees: 'far from the other prices',
  stale: 'last trade too old',
  negligible_weight: 'too little volume',
  not_direct: 'confirms the exchanges',
  last_price: 'replaced by newer prices',
}

interface Input extends Partial<Omit<Market, 'price_usd' | 'weight'>> {
  readonly source_id: string
  readonly pair: string
  readonly price_usd: number | null
  readonly weight: number | null
  /** Why it does not count; null: it counts, or nothing is said. */
  readonly reason: string | null
  readonly state?: string
}

export function inputsOf({ price_basis: { sources, excluded } }: Asset, markets: readonly Market[]): readonly Input[] {
  const keyOf = ({ source_id, pair }: Pick<Input, 'source_id' | 'pair'>) => `${source_id} ${pair}`
  const reasons = new Map(excluded.map((one) => [keyOf(one), one.reason]))
  // An exchange may have several pools of one pair.
  const traded = markets.map((market) => {
    const own = { source_id: market.exchange_id, state: stateOf(market), ...market }
    return { reason: reasons.get(keyOf(own)) ?? null, ...own }
  })
  const known = new Set(traded.map(keyOf))
  const others = [...sources, ...excluded].filter((one) => !known.has(keyOf(one)))
  const inputs = [...traded, ...others.map((one): Input => ({ weight: null, reason: null, ...one }))]
  const byVolume = sortedBy(inputs, (input) => input.volume_24h_usd ?? 0, true)
  return sortedBy(byVolume, ({ weight }) => weight, true)
}

function columnsOf(inputs: readonly Input[], names: Site['sources']): readonly Column<Input>[] {
  return [
    column.links(inputs.every(({ exchange_id }) => exchange_id) ? 'Exchange' : 'Source', 'exchanges', (input) => [
      input.exchange_id,
      input.exchange_name ?? names[input.source_id] ?? input.source_id,
    ]),
    { name: 'Pair', of: ({ trade_url, pair }) => <Outward url={trade_url}>{pair}</Outward>, by: ({ pair }) => pair },
    column.prices('Price', ({ price_usd }) => price_usd),
    column.percents('Spread', ({ spread_percent = null }) => spread_percent),
    column.amounts('Volume 24h', ({ volume_24h_usd: volume = null }) => volume),
    column.shares('Weight', ({ weight }) => weight),
    {
      name: 'Quality',
      kind: 'prose',
      of: ({ reason, state = 'used', quality_reasons: reasons }) =>
        reason === null ? (
          <Badge state={state} title={reasons?.map(words).join(', ')} />
        ) : (
          <span class="soft">not used: {REASONS[reason] ?? words(reason)}</span>
        ),
      by: ({ reason, state }) => reason ?? state ?? null,
    },
    column.times('As of', ({ last_traded_at: traded, collected_at: collected }) => traded ?? collected ?? null),
  ]
}

const DOUBTS: Readonly<Record<NonNullable<Basis['low_confidence_reason']>, string>> = {
  split: 'the sources disagree',
  match_disputed: 'it is not certain that these markets trade it',
  contested: 'too few sources support it',
  dispersed: 'the prices are far apart',
  weak_rate: 'the rate of the quote currency is weakly supported',
  halted: 'no market moves',
  single_witness: 'only one source',
  few_witnesses: 'only two sources agree',
}

function weightsOf({ method, sources }: Basis): string {
  if (sources.length === 0) return ''
  const from = counted(new Set(sources.map(({ source_id }) => source_id)).size, 'source')
  const cap =
    method === 'exchanges' ? `, each with at most ${LIMITS.venue_cap * 100}% of the weight or an equal share` : ''
  return `It uses ${counted(sources.length, 'price')} from ${from}${cap}. `
}

/** How the price came about, in three sentences, and the markets with their part in it. */
export function PriceExplained({ asset, markets }: { readonly asset: Asset; readonly markets: readonly Market[] }) {
  const { root, sources } = useSite()
  const { slug, price_usd, price_confidence: confidence, price_basis: basis } = asset
  const inputs = inputsOf(asset, markets)
  return (
    <>
      <h2 id="markets">Markets and price</h2>
      <p class="basis prose">
        {METHODS[basis.method]} {weightsOf(basis)}
        {price_usd !== null && (
          <>
            The result is <PriceFigure of={price_usd} />, with a confidence of {share(confidence)}
            {basis.low_confidence_reason !== null && `: ${DOUBTS[basis.low_confidence_reason]}`}.{' '}
          </>
        )}
        <a href={`${root}method/`}>The method in full</a>
      </p>
      <Table
        label="Markets"
        columns={columnsOf(inputs, sources)}
        rows={inputs}
        all={`${root}token/?id=${slug}`}
        none="No exchange in the feed trades it."
      />
    </>
  )
}
