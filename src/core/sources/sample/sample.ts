import { range, sum } from 'd3-array'
import { tokens } from '@web3icons/common/metadata'
import made from './sample.json' with { type: 'json' }
import { Interval } from '../../contract/history.ts'
import { compare, ensured } from '../../contract/order.ts'
import { type Ms, DAY_MS, HOUR_MS, INTERVAL_MS, dayOf } from '../../contract/time.ts'
import { NO_FIGURES } from '../aggregator.ts'
import { type CandleRequest, type Candles, type Source, ONE_PRICE, OWN_DATA, rejected } from '../source.ts'

export const SAMPLE_LISTINGS = 1250

/** The real sources whose ids and symbols the sample's sources use. */
export const SAMPLE_SPELLINGS = {
  sample: 'coingecko',
  'sample-index': 'coingecko',
  'sample-dex': 'coingecko',
  'sample-reference': 'coingecko',
  'sample-a': 'gate',
  'sample-b': 'mexc',
} as const

const FACTS = { host: 'sample.invalid', pace: { requests: 1_000_000, perSeconds: 1 }, rights: OWN_DATA } as const
const SEED = 20_090_103
/** Two runs in quick succession see the same market. */
const TICK_MS = 5 * 60 * 1000
const [PROFILES, POOLS] = [6, 60]
const RATES = { EUR: 1.13, GBP: 1.31, JPY: 0.0062 }
const UNITS: Readonly<Record<string, number>> = { usd: 1, eur: RATES.EUR }

type Figure = Partial<Record<'price_usd' | 'ratio' | 'circulating' | 'max' | 'turnover', number>> & { peg?: string }
const FIGURES: Readonly<Record<string, Figure>> = made.figures
const FIRST = made.first.flat()

/** Returns a generator of reproducible numbers between 0 and 1: mulberry32, by Tommy Ettinger, public domain. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function drawnAt(seed: number, step: number): number {
  let mixed = Math.imul(seed ^ (step >>> 16), 0x7feb352d) ^ Math.imul(step, 0x846ca68b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 31 - 1
}

/** Returns a number between -1 and 1 at a time in ms: drawn once a period and joined by straight lines. */
function noiseAt(seed: number, ms: Ms, periodMs: number): number {
  const step = Math.floor(ms / periodMs)
  const from = drawnAt(seed, step)
  return from + (drawnAt(seed, step + 1) - from) * (ms / periodMs - step)
}

const PERIODS_MS = Array.from({ length: 10 }, (_, index) => 300_000 * 3 ** index)
const heightOf = (period: number): number => 1.1 * Math.sqrt(period / DAY_MS)

/** Returns a random walk at a time in ms: the same wherever one begins, with daily steps of a deviation near 1. */
export const walkAt = (seed: number, ms: Ms): number =>
  PERIODS_MS.reduce((total, period, octave) => total + heightOf(period) * noiseAt(seed + octave, ms, period), 0)

export const WALK_MOST = PERIODS_MS.reduce((total, period) => total + heightOf(period), 0)

type SampleAsset = ReturnType<typeof sampleWorld>['assets'][number]
type SampleMarket = ReturnType<typeof sampleWorld>

/** Returns the sample's market at a time: `count` assets with real names first, then the same names with numbers. */
export function sampleWorld(now: Ms, count: number) {
  const at = Math.floor(now / TICK_MS) * TICK_MS
  const place = (token: { readonly id: string; readonly marketCapRank?: number | null }) =>
    FIRST.includes(token.id) ? FIRST.indexOf(token.id) : FIRST.length + (token.marketCapRank || 1_000_000)
  const named = [...new Map([...made.ecosystem, ...tokens].map((token) => [token.id, token])).values()]
  const sorted = named.toSorted((a, b) => place(a) - place(b) || compare(a.id, b.id))
  const rounds = Array.from({ length: Math.ceil(count / sorted.length) }, (_, round) =>
    sorted.map((token) => ({ suffix: round === 0 ? '' : `-sample-${round + 1}`, ...token })),
  )
  const chosen = rounds.flat().slice(0, count)
  const unranked = chosen.map((token, index) => assetOf(token, index, at))
  const byCap = unranked.toSorted((a, b) => b.basePrice * b.supply - a.basePrice * a.supply || a.number - b.number)
  const ranks = new Map(byCap.map(({ id }, index) => [id, index + 1]))
  const walk = new Map<Ms, number>()
  // All assets follow it, and each is asked for its price at the same times.
  const marketAt = (ms: Ms) => ensured(walk, ms, () => walkAt(SEED, ms))
  return { at, assets: unranked.map((asset) => ({ marketAt, rank: ranks.get(asset.id) ?? count, ...asset })) }
}

const seedOf = (id: string): number =>
  Array.from(id).reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, SEED)

function knownPrice(id: string): { price: number; seed: number; volatility: number } | null {
  const { peg = '', ratio = 1, price_usd: price } = FIGURES[id] ?? {}
  const unit = UNITS[peg]
  if (unit !== undefined) return { price: ratio * unit, seed: seedOf(id), volatility: 0.000_08 }
  const pegged = peg === '' ? null : knownPrice(peg)
  if (pegged) return { ...pegged, price: pegged.price * ratio }
  return price === undefined ? null : { price, seed: seedOf(id), volatility: id === 'pax-gold' ? 0.008 : 0.022 }
}

type Token = Pick<(typeof tokens)[number], 'id' | 'symbol' | 'name'> & { addresses?: object; suffix: string }

function assetOf({ suffix, addresses = {}, ...token }: Token, index: number, at: number) {
  const random = randomOf(SEED + index)
  const [coins, draw, trade, calm] = [random(), random(), random(), random()]
  const id = token.id + suffix
  const [symbol, name] = [token.symbol.toUpperCase() + suffix, token.name + suffix.replaceAll('-', ' ')]
  const known = knownPrice(id) ?? { price: 10 ** (1 - 6 * draw), seed: seedOf(id), volatility: 0.03 + 0.03 * calm }
  const { price: basePrice, seed, volatility } = known
  const figure = FIGURES[id] ?? {}
  const contracts = Object.entries(suffix === '' ? addresses : {}).map(([platform, address]) => {
    return { platform, address: String(address), decimals: null }
  })
  // Market caps fall with the rank about as those of the real market.
  const supply = figure.circulating ?? Math.round((1.2e12 / (index + 1) ** 1.7) * ((0.8 + 0.4 * coins) / basePrice))
  const ownMost = index % 3 === 2 ? null : Math.round(1.25 * supply)
  const maxSupply = figure.circulating === undefined ? ownMost : (figure.max ?? null)
  const turnover = figure.turnover ?? (volatility < 0.000_1 ? 0.2 + 0.2 * trade : 0.01 + 0.08 * trade ** 2)
  // One in forty is younger than a year, and some lack something: the sample has every kind of unknown value.
  const bornAt = index % 40 === 39 ? at - (3 + (index % 90)) * DAY_MS : 0
  const lacks = index % 97 === 96 ? 'price' : index % 53 === 52 ? 'changes' : index % 31 === 30 ? 'supply' : 'nothing'
  const identity = { id, symbol, name, number: index + 1, contracts }
  return { supply, maxSupply, turnover, basePrice, seed, volatility, bornAt, lacks, ...identity }
}

export const priceAt = ({ basePrice, seed, volatility, bornAt, marketAt }: SampleAsset, ms: Ms): number | null =>
  ms < bornAt ? null : basePrice * Math.exp(volatility * (0.5 * marketAt(ms) + 0.87 * walkAt(seed, ms)))

const volumeAt = ({ supply, basePrice, turnover, seed }: SampleAsset, ms: Ms): number =>
  supply * basePrice * turnover * (1 + 0.3 * noiseAt(seed, ms, DAY_MS))

function changeAt(asset: SampleAsset, ms: Ms, hours: number): number | null {
  const [now, then] = [priceAt(asset, ms), priceAt(asset, ms - hours * HOUR_MS)]
  return now === null || then === null ? null : (now / then - 1) * 100
}

/** Whether a bar of an asset is lost: one in sixty lacks some days, a gap that cannot be filled. */
const isLost = ({ number }: SampleAsset, at: number): boolean => number % 60 === 7 && (at / DAY_MS) % 30 < 3

const startsOf = ({ interval, from, to }: CandleRequest): number[] =>
  range(Math.ceil(from / INTERVAL_MS[interval]) * INTERVAL_MS[interval], to + 1, INTERVAL_MS[interval])

function barsOf(asset: SampleAsset, request: CandleRequest, seed: number) {
  const length = INTERVAL_MS[request.interval]
  const share = 0.02 + 0.1 * randomOf(seed)()
  const wick = asset.volatility * Math.sqrt(length / DAY_MS) * 0.4
  const starts = startsOf(request)
  const prices = [...starts, (starts.at(-1) ?? 0) + length].map((at) => priceAt(asset, at))
  return starts.flatMap((at, place) => {
    const [open = null, close = null] = [prices[place], prices[place + 1]]
    if (open === null || close === null || isLost(asset, at)) return []
    const random = randomOf(seed + at / 60_000)
    const drift = 1 + (random() - 0.5) * 0.0005
    const high = Math.max(open, close) * drift * (1 + wick * random())
    const low = Math.min(open, close) * drift * (1 - wick * random())
    const volume = (volumeAt(asset, at) / close) * share * (length / DAY_MS)
    const volumes = { volume_base: volume, volume_quote: volume * close }
    return { at, open: open * drift, high, low, close: close * drift, ...volumes }
  })
}

const fourHourBars: typeof barsOf = (asset, request, seed) =>
  startsOf(request).flatMap((at) => {
    const own = barsOf(asset, { ...request, interval: '1h', from: at, to: at + 3 * HOUR_MS }, seed)
    const [first, , , last] = own
    if (!first || !last) return []
    const [high, low] = [Math.max(...own.map((bar) => bar.high)), Math.min(...own.map((bar) => bar.low))]
    const [base, quote] = [sum(own, (bar) => bar.volume_base), sum(own, (bar) => bar.volume_quote)]
    return { at, open: first.open, high, low, close: last.close, volume_base: base, volume_quote: quote }
  })

function sightingOf(asset: SampleAsset, at: number) {
  const { id, symbol, name, number, contracts, maxSupply: max_supply } = asset
  const identity = { kind: 'sighting' as const, id, slugs: [], symbol, name, ...NO_FIGURES, contracts, at }
  const price_usd = asset.lacks === 'price' ? null : priceAt(asset, at)
  const circulating_supply = asset.lacks === 'supply' ? null : asset.supply
  const total_supply = Math.min(Math.round(asset.supply * 1.02), max_supply ?? Infinity)
  const supplies = circulating_supply === null ? {} : { circulating_supply, total_supply, max_supply }
  if (price_usd === null) return { ...identity, ...supplies }
  const ath_usd = asset.basePrice * Math.exp(asset.volatility * WALK_MOST)
  const ath_at = Date.UTC(2025, number % 12, 1 + (number % 28))
  const rank = circulating_supply === null ? null : asset.rank
  const figuresOfNow = { rank, price_usd, volume_24h_usd: volumeAt(asset, at), ath_usd, ath_at }
  if (asset.lacks === 'changes') return { ...identity, ...supplies, ...figuresOfNow }
  const day = Array.from({ length: 25 }, (_, hour) => priceAt(asset, at - hour * HOUR_MS) ?? []).flat()
  const extremes = { high_24h_usd: Math.max(...day), low_24h_usd: Math.min(...day) }
  const change = (hours: number) => changeAt(asset, at, hours)
  const changes = { percent_change_1h: change(1), percent_change_24h: change(24), percent_change_7d: change(24 * 7) }
  return { ...identity, ...supplies, ...figuresOfNow, ...changes, ...extremes }
}

function profileOf({ id, name, number, rank }: SampleAsset) {
  const site = number % 2 === 0 ? `https://example.com/${id}` : null
  const description = `Sample profile of ${name}: a made-up text, like every number beside it.`
  const tags = ['sample', rank <= 20 ? 'large-cap' : 'small-cap']
  const links = { website: site, whitepaper: null, source_code: null, twitter: site, telegram: null, discord: null }
  const explorers = site === null ? [] : [site]
  return { kind: 'profile' as const, id, asset_type: null, description, tags, links, explorers, contracts: [] }
}

function mainList({ at, assets }: SampleMarket): Source {
  const byId = new Map(assets.map((asset) => [asset.id, asset]))
  const ask: Candles['ask'] = async (_http, request) => {
    const asset = byId.get(request.market)
    if (!asset || asset.lacks === 'price') return []
    return startsOf({ ...request, to: Math.min(request.to, at) }).flatMap((start) => {
      const close = isLost(asset, start) ? null : priceAt(asset, start)
      const volumes = { volume_base: null, volume_quote: volumeAt(asset, start) }
      return close === null ? [] : { at: start, ...ONE_PRICE, close, ...volumes }
    })
  }
  const observe: Source['observe'] = async (_http, wants) => {
    const profiled = wants.profiles(assets.slice(0, PROFILES).map(({ id }) => id)).flatMap((id) => byId.get(id) ?? [])
    return [...assets.map((asset) => sightingOf(asset, at)), ...profiled.map(profileOf)]
  }
  const candles = { intervals: Interval.options, most: 1000, rolling: true, ask } as const
  return { ...FACTS, type: 'aggregator', id: 'sample', label: 'sample', observe, candles }
}

function secondList({ at, assets }: SampleMarket): Source {
  const listed = assets.filter(({ number }) => number % 7 !== 0)
  const observe: Source['observe'] = async () =>
    listed.map((asset) => {
      const { price_usd: price, ...sighting } = sightingOf(asset, at)
      const price_usd = price === null ? null : price * (1 + (randomOf(asset.number)() - 0.5) * 0.006)
      return { price_usd, ...sighting, id: `${asset.symbol.toLowerCase()}-${asset.id}`, slugs: [asset.id] }
    })
  return { ...FACTS, type: 'aggregator', id: 'sample-index', label: 'sample index', observe }
}

function exchange({ at, assets }: SampleMarket, place: number, own: (typeof made.exchanges)[number]): Source {
  const { letter, most, quotes, hasBars } = own
  const traded = assets.slice(0, most).flatMap((asset) => {
    const ecosystem = made.ecosystem.find(({ id }) => id === asset.id)
    const base = ecosystem ? new Map(Object.entries(ecosystem.at)).get(letter) : asset.symbol
    return asset.lacks === 'price' || base === undefined ? [] : [{ asset, base }]
  })
  const seedIn = (asset: SampleAsset, quote: string) => asset.number * 1000 + place * 10 + quote.length
  const ask: Candles['ask'] = async (_http, request) => {
    const [symbol, quote = ''] = request.market.split('_')
    const { asset } = traded.findLast(({ base }) => base === symbol) ?? {}
    const bars = request.interval === '4h' ? fourHourBars : barsOf
    return asset && quote.startsWith('USD') ? bars(asset, request, seedIn(asset, quote)) : []
  }
  const units = quotes.map((quote) => {
    const asset = assets.find(({ symbol }) => symbol === quote)
    return [quote, UNITS[quote.toLowerCase()] ?? ((asset && priceAt(asset, at)) || 1)] as const
  })
  const tickersOf = ({ asset, base }: (typeof traded)[number]) =>
    units.flatMap(([quote, unit]) => {
      const dollars = priceAt(asset, at)
      if (dollars === null || quote === asset.symbol) return []
      const random = randomOf(seedIn(asset, quote))
      const last = (dollars / unit) * (1 + (random() - 0.5) * 0.001)
      const spread = 0.0002 + 0.001 * random()
      const volume = (volumeAt(asset, at) / dollars) * (0.02 + 0.1 * random())
      const [bid, ask] = [last * (1 - spread / 2), last * (1 + spread / 2)]
      return { base, quote, last, bid, ask, at, volume, percent_change_24h: changeAt(asset, at, 24) }
    })
  const odd = own.odd.map(({ hoursAgo, ...row }) => ({ ...row, at: at - hoursAgo * HOUR_MS, percent_change_24h: null }))
  const [id, label] = [`sample-${letter}`, `sample exchange ${letter.toUpperCase()}`]
  const observe: Source['observe'] = async () => {
    const quoted = [...traded.flatMap(tickersOf), ...odd].map(({ volume, ...ticker }) => {
      const market = `${ticker.base}_${ticker.quote}`
      const volumes = { volume_24h_base: volume, volume_24h_quote: ticker.last === null ? null : volume * ticker.last }
      const trade_url = `https://example.com/${id}/${encodeURIComponent(market)}`
      return { kind: 'quote' as const, market, ...ticker, ...volumes, trade_url }
    })
    return letter === 'a' ? [...quoted, rejected('last: not a number')] : quoted
  }
  const candles = hasBars ? { candles: { intervals: Interval.options, most: 1000, ask } } : {}
  return { ...FACTS, id, label, type: 'exchange', host: `${id}.invalid`, observe, ...candles }
}

function dex({ at, assets }: SampleMarket): Source {
  const dollar = assets.find(({ id }) => id === 'usd-coin')
  const pools = () => assets.flatMap((asset) => (dollar && asset !== dollar ? poolOf(asset, dollar, at) : []))
  const observe: Source['observe'] = async () => pools().slice(0, POOLS)
  return { ...FACTS, id: 'sample-dex', label: 'sample DEX', type: 'dex', observe }
}

const drawn = (alphabet: string, length: number, random: () => number): string =>
  Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')

function poolOf(asset: SampleAsset, dollar: SampleAsset, at: number) {
  const unit = dollar.contracts.find(({ platform }) => asset.contracts.some((own) => own.platform === platform))
  const own = asset.contracts.find(({ platform }) => platform === unit?.platform)
  const [price, unitPrice] = [priceAt(asset, at), priceAt(dollar, at)]
  if (!unit || !own || asset.lacks === 'price' || price === null || unitPrice === null) return []
  const random = randomOf(asset.number)
  const pool_address = own.address.startsWith('0x')
    ? `0x${drawn('0123456789abcdef', 40, random)}`
    : drawn('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 44, random)
  const base = { address: own.address, symbol: asset.symbol }
  const quote = { address: unit.address, symbol: 'USDC' }
  const pool = { dex_id: 'sample-swap', dex_name: 'Sample Swap', platform: own.platform, pool_address, base, quote }
  const volume = volumeAt(asset, at)
  const [volume_24h_usd, liquidity_usd, percent_change_24h] = [volume * 0.01, volume * 0.05, changeAt(asset, at, 24)]
  const figures = { price_native: price / unitPrice, percent_change_24h, volume_24h_usd, liquidity_usd }
  const price_usd = price * (1 + (random() - 0.5) * 0.004)
  const [transactions_24h, created_at] = [Math.floor(random() * 5000), Date.UTC(2024, asset.number % 12, 1)]
  const url = `https://example.com/sample-swap/${pool_address}`
  return [{ kind: 'pool' as const, ...pool, ...figures, price_usd, transactions_24h, created_at, url }]
}

function reference({ at, assets }: SampleMarket): Source {
  const pastRates: Source['pastRates'] = {
    first: `${new Date(at).getUTCFullYear() - 1}-01-01`,
    ask: async (_http, { from, to }) =>
      startsOf({ market: '', interval: '1d', from: Date.parse(from), to: Date.parse(to) })
        .filter((day) => ![0, 6].includes(new Date(day).getUTCDay()))
        .map((day) => ({ day: dayOf(day), rates_usd: RATES })),
  }
  const observe: Source['observe'] = async (_http, wants) => {
    const owned = assets.flatMap((asset) =>
      asset.contracts.map(({ address }) => [address.toLowerCase(), asset] as const),
    )
    const byAddress = new Map(owned)
    const day = at - (at % DAY_MS)
    const money = Object.entries(RATES).map(([currency, rate]) => ({ of: { currency }, price_usd: rate, at: day }))
    const priced = wants.tokens.flatMap((of) => {
      const asset = byAddress.get(of.address.toLowerCase())
      const price_usd = asset ? priceAt(asset, at) : null
      return price_usd === null ? [] : { of, price_usd, at }
    })
    return [...money, ...priced].map((one) => ({ kind: 'reference' as const, ...one }))
  }
  return { ...FACTS, id: 'sample-reference', label: 'sample reference', type: 'reference', pastRates, observe }
}

export function sampleSources(now: Ms, count: number = SAMPLE_LISTINGS): readonly Source[] {
  const world = sampleWorld(now, count)
  const exchanges = made.exchanges.map((own, place) => exchange(world, place, own))
  return [mainList(world), secondList(world), ...exchanges, dex(world), reference(world)]
}
