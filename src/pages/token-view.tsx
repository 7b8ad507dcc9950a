import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asset, Market } from '../client/answers.ts'
import { slugOf } from '../contract/names.ts'
import { Coins, Change, Figure, Money, Price, Time, digitsOf } from './figures.tsx'
import { UNKNOWN, count, counted, day, moment, share, shortened, titled, words } from './format.ts'
import { HeldFigures } from './held.tsx'
import { Badge, CopyButton, Disc, Outward, ThingLink, TokenLink } from './marks.tsx'
import { PriceExplained } from './price-explained.tsx'
import { useSite } from './site.tsx'

interface AssetProps {
  readonly asset: Asset
}

interface BarProps {
  readonly label: string
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Where a value lies between two others; nothing if one is unknown. */
const Bar = ({ label, value, low, high }: BarProps) =>
  value === null || low === null || high === null || high <= low ? null : (
    <meter aria-label={label} min={low} max={high} value={Math.min(high, Math.max(low, value))} />
  )

/** The figures of an asset: name, member that may be carried forward, and value. */
function figuresOf(asset: Asset): readonly (readonly [string, keyof Asset, ComponentChildren])[] {
  const { symbol, circulating_supply: circulating, max_supply: most, low_24h_usd: low, high_24h_usd: high } = asset
  const range = (
    <>
      <Price usd={low} /> – <Price usd={high} />
      <Bar label="Price between the low and the high of 24 hours" value={asset.price_usd} low={low} high={high} />
    </>
  )
  const inCirculation = (
    <>
      <Coins value={circulating} symbol={symbol} />
      <Bar label="Share of the maximum supply in circulation" value={circulating} low={0} high={most} />
    </>
  )
  const highest = (
    <>
      <Price usd={asset.ath_usd} /> {asset.ath_date !== null && <span class="soft">{day(asset.ath_date)}</span>}
    </>
  )
  const markets = `${count(asset.market_count)} on ${counted(asset.exchange_count, 'exchange')}`
  return [
    ['Market cap', 'market_cap_usd', <Money usd={asset.market_cap_usd} />],
    ['Volume 24 h', 'volume_24h_usd', <Money usd={asset.volume_24h_usd} />],
    ['Fully diluted', 'fully_diluted_valuation_usd', <Money usd={asset.fully_diluted_valuation_usd} />],
    ['Circulating', 'circulating_supply', inCirculation],
    ['Total supply', 'total_supply', <Coins value={asset.total_supply} symbol={symbol} />],
    ['Max supply', 'max_supply', <Coins value={most} symbol={symbol} />],
    ['Low and high 24 h', 'high_24h_usd', low === null && high === null ? UNKNOWN : range],
    ['All-time high', 'ath_usd', highest],
    ['Change 1 h', 'percent_change_1h', <Change percent={asset.percent_change_1h} />],
    ['Change 7 d', 'percent_change_7d', <Change percent={asset.percent_change_7d} />],
    ['Markets', 'market_count', asset.market_count === 0 ? 'none known' : markets],
    ['Listed here since', 'first_listed', asset.first_listed === null ? UNKNOWN : day(asset.first_listed)],
  ]
}

/** Market cap, volume, supplies and the other figures of an asset. One that is carried forward has the time of its value. */
export const Figures = ({ asset }: AssetProps) => (
  <dl class="figures">
    {figuresOf(asset).map(([name, member, value]) => {
      const since = asset.carried?.[member]
      return (
        <Figure name={name}>
          {value}
          {since !== undefined && (
            <span class="since" title={`Last reported ${moment(since)}`}>
              {' '}
              as of <Time at={since} />
            </span>
          )}
        </Figure>
      )
    })}
  </dl>
)

const ContractList = ({ contracts }: Pick<Asset, 'contracts'>) => (
  <ul class="plain contracts">
    {contracts.map(({ chain, address, explorer_url }) => (
      <li>
        <span class="chain">{words(chain)}</span>
        <Outward url={explorer_url ?? ''}>
          <code title={address}>{shortened(address)}</code>
        </Outward>
        <CopyButton text={address} label={`Copy ${address}`} />
      </li>
    ))}
  </ul>
)

/** Number of contracts that are not folded away. */
const FIRST_CONTRACTS = 6

/** The contracts of an asset with their explorers. */
const Contracts = ({ contracts }: Pick<Asset, 'contracts'>) =>
  contracts.length === 0 ? null : (
    <>
      <h2>Contracts</h2>
      <ContractList contracts={contracts.slice(0, FIRST_CONTRACTS)} />
      {contracts.length > FIRST_CONTRACTS && (
        <details class="fold">
          <summary>{contracts.length - FIRST_CONTRACTS} more</summary>
          <ContractList contracts={contracts.slice(FIRST_CONTRACTS)} />
        </details>
      )}
    </>
  )

function Links({ asset: { links, explorers } }: AssetProps) {
  const known = Object.entries(links).flatMap(([name, url]) => (url === null ? [] : [{ name: words(name), url }]))
  const all = [...known, ...explorers]
  return all.length === 0 ? null : (
    <ul class="plain links">
      {all.map(({ name, url }) => (
        <li>
          <Outward url={url}>{name}</Outward>
        </li>
      ))}
    </ul>
  )
}

/** The categories of an asset, each with a page of its own. */
function Categories({ asset: { tags, listing_status } }: AssetProps) {
  const ids = new Map(tags.map((tag) => [slugOf(tag), tag]))
  ids.delete('')
  return ids.size === 0 || listing_status === 'delisted' ? null : (
    <p class="tags">
      {[...ids].map(([id, name]) => (
        <ThingLink to="categories" id={id} class="badge">
          {titled(name)}
        </ThingLink>
      ))}
    </p>
  )
}

/** The name of an asset with its rank, states, notice, price, the time of the price, and what is held back. */
const Title = ({ asset }: AssetProps) => (
  <>
    <div class="title-line">
      <Disc slug={asset.slug} symbol={asset.symbol} />
      <h1>
        {asset.name} <span class="ticker">{asset.symbol}</span>
      </h1>
      {asset.market_cap_rank !== null && <span class="badge">#{asset.market_cap_rank}</span>}
      <Badge state={asset.verification_status} />
      {asset.listing_status !== 'active' && <Badge state={asset.listing_status} />}
    </div>
    {asset.notice !== null && <p class="notice">{asset.notice}</p>}
    {asset.price_usd !== null && (
      <p class="price-line">
        <strong class="price">
          <Price usd={asset.price_usd} />
        </strong>{' '}
        {asset.percent_change_24h !== null && (
          <>
            <Change percent={asset.percent_change_24h} /> in 24 h
          </>
        )}
      </p>
    )}
    <p class="soft updated">
      {asset.price_usd === null || asset.last_updated === null ? (
        'No known price.'
      ) : (
        <>
          Updated <Time at={asset.last_updated} />.
        </>
      )}{' '}
      <span>
        {asset.carried?.['price_usd'] !== undefined && 'Carried forward: no source reported a newer price. '}
        {asset.price_confidence !== null && `Confidence ${share(asset.price_confidence)}.`}
      </span>
    </p>
    <HeldFigures held={asset.held} />
  </>
)

/** A notice that an asset is no longer listed, or is listed under another slug. */
const Gone = ({ asset: { name, replaced_by } }: AssetProps) => (
  <p class="notice">
    {replaced_by === null ? (
      `${name} is no longer listed. The last known data is shown below.`
    ) : (
      <>
        {name} is now <TokenLink slug={replaced_by}>{replaced_by}</TokenLink>.
      </>
    )}
  </p>
)

/** Two amounts of equal value, one in units of an asset and one in the chosen currency: each follows the other. */
function Converter({ asset: { symbol }, price_usd }: AssetProps & { readonly price_usd: number }) {
  const { currency } = useSite()
  const rate = price_usd / currency.price_usd
  // What the reader wrote last, and in which unit; the other amount follows from it.
  const [given, setGiven] = useState({ text: '1', isMoney: false })
  const amount = Number(given.text)
  const converted =
    given.text === '' || Number.isNaN(amount) ? '' : digitsOf(given.isMoney ? amount / rate : amount * rate)
  const field = (unit: string, isMoney: boolean) => (
    <label>
      <input
        type="number"
        min={0}
        step="any"
        value={given.isMoney === isMoney ? given.text : converted}
        aria-label={`Amount in ${unit}`}
        onInput={({ currentTarget }) => setGiven({ text: currentTarget.value, isMoney })}
      />{' '}
      {unit}
    </label>
  )
  return (
    <p class="converter">
      {field(symbol, false)} = {field(currency.symbol, true)}
    </p>
  )
}

export interface TokenProps extends AssetProps {
  /** Null: they could not be loaded. */
  readonly markets: readonly Market[] | null
  /** The history of its price. */
  readonly chart: ComponentChildren
}

/** Everything about one listing. */
export const Token = ({ asset, markets, chart }: TokenProps) => (
  <>
    {asset.listing_status === 'delisted' && <Gone asset={asset} />}
    <Title asset={asset} />
    <section aria-label="Price history">{chart}</section>
    <Figures asset={asset} />
    {asset.price_usd !== null && <Converter asset={asset} price_usd={asset.price_usd} />}
    {markets !== null && <PriceExplained asset={asset} markets={markets} />}
    <Contracts contracts={asset.contracts} />
    {asset.description !== null && (
      <>
        <h2>About</h2>
        <p class="prose">{asset.description}</p>
      </>
    )}
    <Categories asset={asset} />
    <Links asset={asset} />
  </>
)
