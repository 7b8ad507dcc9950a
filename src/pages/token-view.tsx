import type { ComponentChildren } from 'preact'
import type { Asset, Market } from '../client/answers.ts'
import { slugOf } from '../core/contract/names.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { bucketOf, windowOf } from '../core/history/grid.ts'
import { ApiOfCoin } from './api-samples.tsx'
import * as figures from './figures.tsx'
import { Change, Figures, PriceFigure, Time } from './figures.tsx'
import { UNKNOWN, change, count, counted, day, moment, price, share, shortened, titled, tone, words } from './format.ts'
import { VIEW_BOX, pathOf } from './line.ts'
import { Badge, CopyButton, Disc, Outward, Star, ThingLink, isStable } from './marks.tsx'
import { PriceExplained } from './price-explained.tsx'
import { useSite } from './site.tsx'

interface TokenProps {
  readonly asset: Asset
  readonly markets: readonly Market[]
  readonly week: figures.Prices
  /** The changes of the price over a month and a year, in percent. */
  readonly past: Readonly<Record<'month' | 'year', number | null>>
  readonly hasDaily: boolean
  readonly hasCandles: boolean
}
type AssetProps = Pick<TokenProps, 'asset'>

/** Where a value lies between two others; nothing if one is unknown. */
const Bar = ({ label, value, low, high }: Record<'value' | 'low' | 'high', number | null> & Record<'label', string>) =>
  value === null || low === null || high === null || high <= low ? null : (
    <meter aria-label={label} min={low} max={high} value={Math.min(high, Math.max(low, value))} />
  )

export function AssetFigures({ asset }: AssetProps) {
  const { symbol, circulating_supply: circulating, max_supply: most, ath_date, first_listed } = asset
  const { market_count: markets, exchange_count: exchanges } = asset
  const coins = (value: number | null) => [<figures.AmountFigure of={value} />, value !== null && ` ${symbol}`]
  const bar = <Bar label="Share of the maximum supply in circulation" value={circulating} low={0} high={most} />
  const traded = markets === 0 ? 'none known' : `${count(markets)} on ${counted(exchanges, 'exchange')}`
  const highest = [<PriceFigure of={asset.ath_usd} />, ' ', ath_date && <span class="soft">{day(ath_date)}</span>]
  const rows: readonly (readonly [name: string, member: keyof Asset, value: ComponentChildren])[] = [
    ['Market cap', 'market_cap_usd', <figures.Money of={asset.market_cap_usd} />],
    ['Volume 24h', 'volume_24h_usd', <figures.Money of={asset.volume_24h_usd} />],
    ['Fully diluted', 'fully_diluted_valuation_usd', <figures.Money of={asset.fully_diluted_valuation_usd} />],
    ['Circulating', 'circulating_supply', [coins(circulating), bar]],
    ['Total supply', 'total_supply', coins(asset.total_supply)],
    ['Max supply', 'max_supply', coins(most)],
    ['All-time high', 'ath_usd', highest],
    ['Markets', 'market_count', traded],
    ['Listed here since', 'first_listed', first_listed === null ? UNKNOWN : day(first_listed)],
  ]
  const valueOf = (member: keyof Asset, value: ComponentChildren) => {
    const since = asset.carried?.[member]
    if (since === undefined) return value
    const title = `Last reported ${moment(since)}`
    return [value, <span class="since" title={title} children={[' as of ', <Time at={since} />]} />]
  }
  return <Figures kind="ledger lines" of={rows.map(([name, member, value]) => [name, valueOf(member, value)])} />
}

const ContractList = ({ contracts }: Pick<Asset, 'contracts'>) => (
  <ul class="plain lines">
    {contracts.map(({ chain, address, explorer_url }) => (
      <li>
        <span>{titled(words(chain))}</span>
        <Outward url={explorer_url}>
          <code title={address}>{shortened(address)}</code>
        </Outward>
        <CopyButton text={address} label={`Copy ${address}`} />
      </li>
    ))}
  </ul>
)

const FIRST_CONTRACTS = 3

const Contracts = ({ contracts }: Pick<Asset, 'contracts'>) =>
  contracts.length > 0 && (
    <>
      <h2>Contracts</h2>
      <ContractList contracts={contracts.slice(0, FIRST_CONTRACTS)} />
      {contracts.length > FIRST_CONTRACTS && (
        <details>
          <summary>{contracts.length - FIRST_CONTRACTS} more</summary>
          <ContractList contracts={contracts.slice(FIRST_CONTRACTS)} />
        </details>
      )}
    </>
  )

function Links({ asset: { links, explorers, tags, listing_status } }: AssetProps) {
  const known = Object.entries(links).map(([name, url]) => ({ name: titled(name), url }))
  const ids = new Map(listing_status === 'delisted' ? [] : tags.map((tag) => [slugOf(tag), tag]))
  ids.delete('')
  return (
    <p class="tags">
      {[...known, ...explorers].map(({ name, url }) => url !== null && <Outward url={url}>{name}</Outward>)}
      {[...ids].map(([id, name]) => (
        <ThingLink to="categories" id={id} class="badge" children={titled(name)} />
      ))}
    </p>
  )
}

/** Returns the changes of a price from the first of its series of 30 and 365 days, so that they agree with the chart. */
export function pastChanges(world: PublicationData, slug: string): TokenProps['past'] {
  const { latest, grid } = world.clock
  const price_usd = world.bySlug.get(slug)?.asset.price_usd ?? null
  const { points, days } = world.pastOf(slug)
  const firstOf = (range: 30 | 365) => windowOf(range, grid[range], bucketOf(latest, grid[range])).from
  const since = (then: number | null) => (then === null || price_usd === null ? null : (price_usd / then - 1) * 100)
  return {
    month: since(points.get(grid[30])?.value('price_usd', firstOf(30)) ?? null),
    year: since(days.value('close_usd', firstOf(365))),
  }
}

const Gone = ({ asset: { name, replaced_by: slug } }: AssetProps) => (
  <p class="notice">
    {slug === null
      ? `${name} is no longer listed. The last known data is shown below.`
      : [`${name} is now `, <ThingLink to="token" id={slug} children={slug} />, '.']}
  </p>
)

function Title({ asset, past }: Pick<TokenProps, 'asset' | 'past'>) {
  const { slug, name, symbol, low_24h_usd: low, high_24h_usd: high } = asset
  const changes = {
    '1h': asset.percent_change_1h,
    '24h': asset.percent_change_24h,
    '7d': asset.percent_change_7d,
    '30d': past.month,
    '1y': past.year,
  }
  const changeOf = (percent: number | null) => <Change of={percent} isStable={isStable(asset)} />
  const known = Object.entries(changes).filter(([, percent]) => percent !== null)
  return (
    <div class="title">
      <div class="title-line">
        <Disc slug={slug} symbol={symbol} />
        <h1>
          {name} <span class="ticker">{symbol}</span>
        </h1>
        <Star slug={slug} name={name} />
        <button type="button" class="copy share" data-share>
          Share
        </button>
      </div>
      <p class="states">
        {asset.market_cap_rank !== null && <span class="badge">#{asset.market_cap_rank}</span>}{' '}
        <Badge state={asset.verification_status} />{' '}
        {asset.listing_status !== 'active' && <Badge state={asset.listing_status} />}
      </p>
      {asset.price_usd !== null && (
        <p class="price-line">
          <strong>
            <PriceFigure of={asset.price_usd} />
          </strong>{' '}
          {changeOf(asset.percent_change_24h)}
        </p>
      )}
      {low !== null && high !== null && (
        <p class="day-range">
          <PriceFigure of={low} />
          <Bar label="Price between the low and the high of 24 hours" value={asset.price_usd} low={low} high={high} />
          <PriceFigure of={high} />
        </p>
      )}
      {known.length > 0 && (
        <Figures kind="changes-strip" of={known.map(([span, percent]) => [span, changeOf(percent)])} />
      )}
      <p class="soft updated">
        {asset.price_usd === null || asset.last_updated === null
          ? 'No known price.'
          : ['Updated ', <Time at={asset.last_updated} />, '.']}{' '}
        {asset.carried?.['price_usd'] !== undefined && 'Carried forward: no source reported a newer price. '}
        {asset.price_confidence !== null && `Confidence ${share(asset.price_confidence)}.`}
      </p>
      {asset.notice !== null && <p class="notice">{asset.notice}</p>}
      <figures.HeldFigures held={asset.held} />
    </div>
  )
}

/** Two amounts of equal value, one in units of an asset and one in the chosen currency: its script lets each follow the other. */
const Converter = ({ asset: { symbol, price_usd } }: AssetProps) =>
  price_usd !== null && (
    <p class="converter" data-price={price_usd}>
      <label>
        <input type="number" min={0} step="any" value="1" data-unit="coin" aria-label={`Amount in ${symbol}`} />
        {symbol}
      </label>
      <span aria-hidden="true">=</span>
      <label>
        <input type="number" min={0} step="any" value={price_usd} data-unit="money" aria-label="Amount in USD" />
        <span>USD</span>
      </label>
    </p>
  )

type RadiosProps = Record<'name' | 'label' | 'chosen', string> & Record<'options', Readonly<Record<string, string>>>

const Radios = ({ name, label, options, chosen }: RadiosProps) => (
  <fieldset class="tabs">
    <legend class="hidden">{label}</legend>
    {Object.entries(options).map(([value, text]) => (
      <>
        <input type="radio" name={name} id={`${name}-${value}`} value={value} checked={value === chosen} />
        <label for={`${name}-${value}`}>{text}</label>
      </>
    ))}
  </fieldset>
)

const RANGES = { 1: '24h', 7: '7d', 30: '30d', 90: '90d', 365: '1y' }

/** Prices over time: the line of the last seven days, which needs no script, and the choices of the chart that takes its place. */
function Chart({ asset, week, past, hasDaily, hasCandles }: TokenProps) {
  const { slug, name, price_usd, percent_change_7d: percent } = asset
  const values = figures.weekOf(price_usd, percent, week)
  const path = pathOf(values)
  const known = values.filter((value) => value !== null)
  const range = `${price(Math.min(...known))} – ${price(Math.max(...known))}`
  return (
    <section
      id="history"
      aria-label="Price history"
      data-slug={slug}
      data-name={name}
      data-week={percent}
      data-month={past.month}
      data-year={past.year}
    >
      <div class="ranges">
        <Radios name="days" label="Range" options={hasDaily ? { ...RANGES, all: 'All' } : RANGES} chosen="7" />
        {hasCandles && (
          <Radios name="draw" label="Drawing" options={{ line: 'Line', candles: 'Candles' }} chosen="line" />
        )}
        <label class="check" title="Scale of logarithms">
          <input type="checkbox" name="log" /> Log
        </label>
      </div>
      <div class="chart">
        {path === null ? (
          <p class="soft">No prices of the last seven days are known yet. Each run adds one.</p>
        ) : (
          <figure role="img" aria-label={`${name}, 7 days: ${change(percent)}, ${range}`}>
            <svg viewBox={VIEW_BOX} preserveAspectRatio="none" data-tone={tone(isStable(asset) ? null : percent)}>
              <path d={path} />
            </svg>
            <figcaption>
              <span>7 days ago</span> <span>{range}</span> <span>now</span>
            </figcaption>
          </figure>
        )}
      </div>
      <p id="history-text" class="soft" aria-live="polite" />
    </section>
  )
}

export function Token(token: TokenProps) {
  const { asset, past } = token
  return (
    <>
      <p class="crumbs">
        <a href={useSite().root}>Coins</a> › {asset.name}
      </p>
      {asset.listing_status === 'delisted' && <Gone asset={asset} />}
      <div class="coin">
        <div class="rail">
          <Title asset={asset} past={past} />
          <div class="facts">
            <AssetFigures asset={asset} />
            <Converter asset={asset} />
            <Links asset={asset} />
            <Contracts contracts={asset.contracts} />
          </div>
        </div>
        <div class="coin-main">
          <Chart {...token} />
          <PriceExplained {...token} />
          <ApiOfCoin asset={asset} />
          {asset.description !== null && (
            <>
              <h2>About {asset.name}</h2>
              <p class="prose">{asset.description}</p>
            </>
          )}
        </div>
      </div>
    </>
  )
}
