import type { Asset } from '../client/answers.ts'
import { copyButton } from './copy-button.ts'
import { type Child, el, outward } from './dom.ts'
import {
  type ShownCurrency,
  UNKNOWN,
  amount,
  change,
  count,
  counted,
  day,
  money,
  moment,
  price,
  share,
  shortened,
  tone,
  words,
} from './format.ts'
import { timeOf, tokenPage } from './frame.ts'
import { heldFigures } from './held.ts'
import { type LogoOf, badge, disc } from './marks.ts'

/** A labelled figure. A carried-forward figure shows the time of its value. */
function figure({ carried }: Asset, name: string, value: Child, member: keyof Asset | null = null): HTMLElement {
  const since = member === null ? undefined : carried?.[member]
  const note =
    since === undefined
      ? null
      : el('span', { class: 'since', title: `Last reported ${moment(since)}` }, ' as of ', timeOf(since))
  return el('div', {}, el('dt', {}, name), el('dd', {}, value, note))
}

/** A text on one line. */
const unbroken = (text: string): HTMLElement => el('span', { class: 'unbroken' }, text)

/** Market cap, volume, supplies and the other figures of an asset. */
export function figures(asset: Asset, shown: ShownCurrency): HTMLElement {
  const coins = (value: number | null) => (value === null ? amount(null) : `${amount(value)} ${asset.symbol}`)
  const high = asset.ath_date === null ? null : el('span', { class: 'unbroken soft' }, day(asset.ath_date))
  return el(
    'dl',
    { class: 'figures' },
    figure(asset, 'Market cap', money(asset.market_cap_usd, shown), 'market_cap_usd'),
    figure(asset, 'Volume 24 h', money(asset.volume_24h_usd, shown), 'volume_24h_usd'),
    figure(asset, 'Fully diluted', money(asset.fully_diluted_valuation_usd, shown), 'fully_diluted_valuation_usd'),
    figure(asset, 'Circulating', coins(asset.circulating_supply), 'circulating_supply'),
    figure(asset, 'Total supply', coins(asset.total_supply), 'total_supply'),
    figure(asset, 'Max supply', coins(asset.max_supply), 'max_supply'),
    figure(
      asset,
      'Low and high 24 h',
      asset.low_24h_usd === null && asset.high_24h_usd === null
        ? UNKNOWN
        : [unbroken(`${price(asset.low_24h_usd, shown)} –`), ' ', unbroken(price(asset.high_24h_usd, shown))],
      'high_24h_usd',
    ),
    figure(asset, 'All-time high', [unbroken(price(asset.ath_usd, shown)), ' ', high], 'ath_usd'),
    figure(asset, 'Change 1 h', change(asset.percent_change_1h), 'percent_change_1h'),
    figure(asset, 'Change 7 d', change(asset.percent_change_7d), 'percent_change_7d'),
    figure(
      asset,
      'Markets',
      asset.market_count === 0
        ? 'none known'
        : `${count(asset.market_count)} on ${counted(asset.exchange_count, 'exchange')}`,
    ),
    figure(asset, 'Listed here since', asset.first_listed === null ? UNKNOWN : day(asset.first_listed)),
  )
}

/** The contracts of an asset with their explorers; null: none. */
export function contracts({ contracts: rows }: Asset): Child {
  if (rows.length === 0) return null
  return [
    el('h2', {}, 'Contracts'),
    el(
      'ul',
      { class: 'contracts' },
      ...rows.map(({ chain, address, explorer_url }) => {
        const short = el('code', { title: address }, shortened(address))
        return el(
          'li',
          {},
          el('span', { class: 'chain' }, words(chain)),
          explorer_url === null ? short : outward(explorer_url, short),
          copyButton(address, `Copy ${address}`),
        )
      }),
    ),
  ]
}

/** The links of an asset; null: none. */
export function links({ links: known, explorers }: Asset): Child {
  const all = [
    ...Object.entries(known).flatMap(([name, url]) => (url === null ? [] : [{ name: words(name), url }])),
    ...explorers,
  ]
  if (all.length === 0) return null
  return el('ul', { class: 'links' }, ...all.map(({ name, url }) => el('li', {}, outward(url, name))))
}

/** The name of an asset with its rank, states, notice, price, the time of the price, and what is held back. */
export function title(asset: Asset, shown: ShownCurrency, logoOf: LogoOf): Child {
  const icon = disc(logoOf)
  icon.fill(asset)
  const { verification_status, listing_status, market_cap_rank, notice } = asset
  return [
    el(
      'div',
      { class: 'title-line' },
      icon.element,
      el('h1', {}, asset.name, ' ', el('span', { class: 'ticker' }, asset.symbol)),
      market_cap_rank === null ? null : el('span', { class: 'badge' }, `#${market_cap_rank}`),
      badge(verification_status),
      listing_status === 'active' ? null : badge(listing_status),
    ),
    notice === null ? null : el('p', { class: 'notice' }, notice),
    el(
      'p',
      { class: 'price-line' },
      el('strong', { class: 'price' }, price(asset.price_usd, shown)),
      ' ',
      asset.percent_change_24h === null
        ? null
        : el('span', { 'data-tone': tone(asset.percent_change_24h) }, change(asset.percent_change_24h), ' in 24 h'),
    ),
    el(
      'p',
      { class: 'soft' },
      asset.last_updated === null ? 'No known price.' : ['As of ', timeOf(asset.last_updated), '. '],
      asset.carried?.['price_usd'] === undefined ? null : 'Carried forward: no source reported a newer price. ',
      asset.price_confidence === null ? null : `Confidence ${share(asset.price_confidence)}.`,
    ),
    heldFigures(asset),
  ]
}

/** A notice that an asset is no longer listed, or is listed under another slug. */
export const gone = ({ name, replaced_by }: Asset): Child =>
  replaced_by === null
    ? el('p', { class: 'notice' }, `${name} is no longer listed. The last known data is shown below.`)
    : el('p', { class: 'notice' }, `${name} is now `, el('a', { href: tokenPage(replaced_by) }, replaced_by), '.')
