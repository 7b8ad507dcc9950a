import type { Asset } from '../core/contract/asset.ts'
import { convertPrice } from '../core/contract/conversion.ts'
import { FIAT_NAMES } from '../core/contract/fiat.ts'
import { csv } from '../core/contract/csv.ts'
import { decimal, roundMoney } from '../core/contract/numbers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { byKey } from '../core/contract/order.ts'
import { dayIn } from '../core/contract/time.ts'
import type { Attachment, Attachments, PublicationData } from '../core/endpoints/endpoint.ts'
import { bySymbol } from '../service/publication.ts'
import { PRICE_TEXTS, priceText } from '../core/contract/site-files.ts'

/** Currencies with a file of their own in exchange-api's layout. */
const BASES = ['usd', 'eur', 'gbp', 'jpy', 'btc', 'eth'] as const

const MEMPOOL = ['USD', 'EUR', 'GBP', 'CAD', 'CHF', 'AUD', 'JPY'] as const

type Priced = Asset & { readonly price_usd: number; readonly last_updated: string }

const isPriced = (asset: Asset): asset is Priced => asset.price_usd !== null && asset.last_updated !== null

/**
 * The layout of exchange-api (github.com/fawazahmed0/exchange-api): the names of all currencies, and for some of them what
 * one unit is worth in every other, as indented and as short JSON. Which listing a symbol means is in `listings.json`.
 */
function exchangeApi({ rates, at }: PublicationData, symbols: ReadonlyMap<string, Priced>): Attachment[] {
  const coins = [...symbols.values()].filter(({ symbol }) => /^[a-z0-9]{1,20}$/i.test(symbol))
  const money = rates.flatMap((rate) => (rate.symbol in FIAT_NAMES ? { ...rate, name: FIAT_NAMES[rate.symbol] } : []))
  const all = [...coins, ...money].map((unit) => [unit.symbol.toLowerCase(), unit] as const)
  const units = new Map(all.toSorted(byKey))
  const slugs = coins.map(({ symbol, slug }) => [symbol.toLowerCase(), slug] as const).toSorted(byKey)
  const file = (path: string, json: object, indent?: number) => ({
    path: `v1/${path}`,
    text: JSON.stringify(json, null, indent),
  })
  return [
    file('currencies.json', Object.fromEntries([...units].map(([code, { name }]) => [code, name])), 2),
    file('listings.json', Object.fromEntries(slugs), 2),
    ...BASES.flatMap((base) => {
      const unit = units.get(base)?.price_usd
      if (unit === undefined) return []
      const worth = [...units].map(([code, one]) => [code, convertPrice(unit, one)])
      const json = { date: dayIn(at), [base]: Object.fromEntries(worth) }
      return [file(`currencies/${base}.json`, json, 2), file(`currencies/${base}.min.json`, json)]
    }),
  ]
}

/** A price of the day as ledger and hledger read it (hledger.org, price directives). Other symbols than letters need quotes. */
function ledgerLine({ symbol, last_updated, price_usd }: Priced): string {
  if (symbol.includes('"')) return ''
  const commodity = /^[A-Za-z]+$/.test(symbol) ? symbol : `"${symbol}"`
  return `P ${dayIn(last_updated)} ${commodity} ${decimal(price_usd)} USD\n`
}

/** The same for beancount, whose commodities are in capital letters (beancount.github.io, language syntax). */
const beancountLine = ({ symbol, last_updated, price_usd }: Priced): string =>
  /^(?!(?:TRUE|FALSE|NULL)$)[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/.test(symbol)
    ? `${dayIn(last_updated)} price ${symbol} ${decimal(price_usd)} USD\n`
    : ''

/** What one Bitcoin costs, as mempool's server answers it (mempool.space/docs/api, prices). */
function mempool({ bySlug, rates }: PublicationData): Attachment[] {
  const { price_usd = null, last_updated = null } = bySlug.get('bitcoin')?.asset ?? {}
  if (price_usd === null || last_updated === null) return []
  const prices = MEMPOOL.flatMap((currency) => {
    const rate = rates.find(({ symbol }) => symbol === currency)
    return rate ? [[currency, roundMoney(price_usd / rate.price_usd)] as const] : []
  })
  const text = JSON.stringify({ time: Date.parse(last_updated) / 1000, ...Object.fromEntries(prices) })
  return [{ path: 'api/v1/prices.json', text: `${text}\n` }]
}

/**
 * What npm takes a package from: the version is the day of the tree. The publisher gives it a name. It leaves out the
 * tables of rows, which no reader asks for, and precompressed files, since CDNs compress on their own.
 */
function packageOf(at: string): Attachment {
  const version = at.slice(0, 10).split('-').map(Number).join('.')
  const description = 'Market data as static JSON files, published with Quotetree'
  const files = ['*', '!state', '!**/*.gz', '!**/*.br']
  return { path: 'package.json', text: `${JSON.stringify({ version, description, files }, null, 2)}\n` }
}

const COLUMNS = ['slug', 'symbol', 'name', 'price_usd', 'percent_change_24h', 'market_cap_usd', 'last_updated']

export const otherPrograms: Attachments = (world) => {
  const listings = world.listed.map(({ asset }) => asset).filter(isPriced)
  // In these files a code of ISO 4217 is money, even where it is the symbol of a coin.
  const symbols = new Map([...bySymbol(listings)].filter(([symbol]) => !(symbol in FIAT_NAMES)))
  const isWhole = !world.site.names
  return [
    // Few listings are no list of all currencies.
    ...(isWhole ? [...exchangeApi(world, symbols), ...mempool(world)] : []),
    packageOf(world.at),
    { path: `${API_FOLDER}/prices.csv`, text: csv(COLUMNS, listings) },
    { path: 'prices.journal', text: [...symbols.values()].map(ledgerLine).join('') },
    { path: 'prices.beancount', text: [...symbols.values()].map(beancountLine).join('') },
    ...listings
      .slice(0, isWhole ? PRICE_TEXTS.files : 0)
      .map(({ slug, price_usd }) => ({ path: `${PRICE_TEXTS.folder}/${slug}.txt`, text: priceText(price_usd) })),
  ]
}
