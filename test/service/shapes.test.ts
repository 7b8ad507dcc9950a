import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../src/service/node.ts'
import { workerOf } from '../../src/service/worker.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { renameFile } from '../../src/core/contract/paths.ts'
import { SHAPES } from '../../src/service/shapes.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { onDisk } from './world.ts'

interface Host {
  readonly get: (path: string, init?: RequestInit) => Promise<Response>
  readonly end: () => Promise<void>
}

const root = newFolder()
const hosts = new Map<string, Host>()
let now = 0
const reported: unknown[] = []
const read: string[] = []

beforeAll(async () => {
  await copySampleTree(root)
  addClaims()
  now = Date.parse(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8')).generatedAt)
  const server = await listen(
    onDisk(root, () => now, { now: () => now }),
    '127.0.0.1',
    0,
  )
  hosts.set('the Node server', { get: (path, init) => fetch(server.url + path, init), end: () => server.close() })
  const worker = workerOf({ specs, product: 'Quotetree', now: () => now, report: (error) => reported.push(error) })
  const assets = {
    async fetch({ url }: Request) {
      read.push(url)
      try {
        return new Response(readFileSync(join(root, decodeURIComponent(new URL(url).pathname))))
      } catch {
        return new Response(null, { status: 404 })
      }
    },
  }
  const execution = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }
  hosts.set('the Worker', {
    get: async (path, init) => worker.request(`https://prices.example${path}`, init, { ASSETS: assets }, execution),
    end: async () => {},
  })
})
afterAll(() => Promise.all([...hosts.values()].map(({ end }) => end())))

/** Adds an id that two listings claim, a second id of one of them, and a slug that it was renamed from. */
function addClaims(): void {
  const write = (file: string, json: unknown) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), JSON.stringify(json))
  }
  const own = published('ids/coingecko')
  const [bitcoin, ethereum] = ['bitcoin', 'ethereum'].map((slug) =>
    own.rows.find((row: { slug: string }) => row.slug === slug),
  )
  const claims = [
    { ...ethereum, id: 'claimed' },
    { ...bitcoin, id: 'claimed' },
    { ...ethereum, id: 'ether-of-old' },
  ]
  write('api/mkt/ids/coingecko.json', { ...own, rows: [...own.rows, ...claims] })
  write(renameFile('frontier').slice(1), { slug: 'frontier', replaced_by: 'ethereum' })
}

const GECKO = '/api/v3'
const bodyOf = async (host: string, path: string) => (await hosts.get(host)?.get(path))?.json()
const published = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))

/** Every parameter that a route insists on. */
const VALID =
  'ids=bitcoin&vs_currencies=usd&vs_currency=usd&contract_addresses=0x1&days=7&from=1&to=2&date=01-11-2026&query=bit'

/** Paths of all routes, with the parts that vary. */
function routesWith(coin: string): string[] {
  const [gecko] = SHAPES
  return (gecko?.routes ?? []).map(({ path }) => path.replace('/coins/:id', coin).replace(':platform', 'ethereum'))
}

describe.each(['the Node server', 'the Worker'])('%s', (host) => {
  const answer = (path: string) => bodyOf(host, GECKO + path)

  it('answers prices in dollars, in money and in coins, and leaves out what it does not know', async () => {
    const { prices } = published('prices')
    const found = await answer('/simple/price?ids=bitcoin,ethereum,no-such-coin&vs_currencies=usd,btc,xyz')
    expect(found).toEqual({
      bitcoin: { usd: prices.bitcoin, btc: 1 },
      ethereum: { usd: prices.ethereum, btc: Number((prices.ethereum / prices.bitcoin).toPrecision(8)) },
    })
  })

  it('rounds prices as asked, and adds figures as asked', async () => {
    const query = 'ids=bitcoin&vs_currencies=usd,eur&include_24hr_change=true&include_last_updated_at=true&precision=0'
    const { bitcoin } = await answer(`/simple/price?${query}`)
    expect(bitcoin.usd).toBe(Math.round(published('prices').prices.bitcoin))
    expect(bitcoin.usd_24h_change).toBe(published('assets/bitcoin').asset.percent_change_24h)
    const euro = published('rates').rows.find((row: { symbol: string }) => row.symbol === 'EUR').price_usd
    const [before] = published('rates/years/2026').rows.filter(
      ({ day, rates_usd }: { day: string; rates_usd: object }) => day === '2026-11-19' && 'EUR' in rates_usd,
    )
    const inEuros = ((1 + bitcoin.usd_24h_change / 100) / (euro / before.rates_usd.EUR) - 1) * 100
    expect(bitcoin.eur_24h_change).toBeCloseTo(inEuros, 3)
    expect(bitcoin.last_updated_at).toBe(Date.parse(published('assets/bitcoin').asset.last_updated) / 1000)
  })

  it('finds tokens by the address of their contract in any case', async () => {
    const { prices } = published('prices')
    const { address, slug } = published('contracts/ethereum').rows.find((row: { slug: string }) => row.slug in prices)
    const found = await answer(
      `/simple/token_price/ethereum?contract_addresses=${address.toUpperCase().replace('0X', '0x')}&vs_currencies=usd`,
    )
    expect(found).toEqual({ [address]: { usd: prices[slug] } })
  })

  it('pages through the markets without repeating or losing one', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => answer(`/coins/markets?vs_currency=usd&per_page=12&page=${page}`)),
    )
    expect(pages.map((rows) => rows.length)).toEqual([12, 12, published('assets').count - 24])
    const ids = pages.flat().map(({ id }) => id)
    expect(ids).toEqual((await answer('/coins/list')).map(({ id }: { id: string }) => id))
    expect(new Set(ids).size).toBe(published('assets').count)
  })

  it('sorts markets by id and by volume, unknown volumes last', async () => {
    const byId = await answer('/coins/markets?vs_currency=usd&order=id_desc')
    const ids = byId.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    const byVolume = await answer('/coins/markets?vs_currency=usd&order=volume_asc')
    const volumes = byVolume.map((row: { total_volume: number | null }) => row.total_volume ?? Infinity)
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => a - b))
  })

  it('answers the profile of a coin with its markets', async () => {
    const coin = await answer('/coins/bitcoin')
    expect(coin).toMatchObject({ id: 'bitcoin', symbol: 'btc', name: 'Bitcoin', market_cap_rank: 1 })
    expect(coin.market_data.current_price.usd).toBe(published('prices').prices.bitcoin)
    expect(coin.tickers).toHaveLength(published('assets/bitcoin').asset.market_count)
    expect(await answer('/coins/bitcoin?tickers=false&market_data=false')).not.toHaveProperty('tickers')
  })

  it('answers the past with the time at which each price was seen, in dollars and in a coin by its price of then', async () => {
    const inDollars = await answer('/coins/ethereum/market_chart?vs_currency=usd&days=30')
    const inBitcoin = await answer('/coins/ethereum/market_chart?vs_currency=btc&days=30')
    const ended = (slug: string) =>
      new Map<number, number>(
        published(`history/${slug}/days=30`).rows.map((row: { timestamp: string; price_usd: number }) => [
          Date.parse(row.timestamp) + 4 * 3_600_000,
          row.price_usd,
        ]),
      )
    const [ethereum, bitcoin] = [ended('ethereum'), ended('bitcoin')]
    const within = inDollars.prices.slice(0, -1).filter(([at]: number[]) => Number(at) % 86_400_000 > 0)
    for (const [at, price] of within) expect(price).toBe(ethereum.get(at))
    expect(within.length).toBeGreaterThan(140)
    const { price_usd, last_updated } = published('assets/ethereum').asset
    expect(inDollars.prices.at(-1)).toEqual([Date.parse(last_updated), price_usd])
    const [at, price] = inBitcoin.prices.find(([time]: number[]) => Number(time) % 86_400_000 > 0)
    expect(price).toBe(Number(((ethereum.get(at) ?? 0) / (bitcoin.get(at) ?? 0)).toPrecision(8)))
    // Eight decimals of a coin, two of money.
    expect(inBitcoin.total_volumes.some(([, volume]: number[]) => /\.\d{3,8}$/.test(String(volume)))).toBe(true)
  })

  it('answers the price at the start of a day with the close of the day before', async () => {
    const after = (day: string) =>
      new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10).split('-').toReversed().join('-')
    const { day, rows } = published(`closes/${published('closes').today}`)
    const tomorrow = `/coins/bitcoin/history?date=${after(day)}`
    now += 86_400_000
    const found = await answer(`${tomorrow}&later`)
    now -= 86_400_000
    const close = rows.find(({ slug }: { slug: string }) => slug === 'bitcoin').close_usd
    expect(found.market_data.current_price.usd).toBe(close)
    expect(Date.parse(found.last_updated)).toBe(Date.parse(day) + 86_400_000)
    expect(await answer(tomorrow)).not.toHaveProperty('market_data')
    expect(await answer('/coins/bitcoin/history?date=01-01-2015')).not.toHaveProperty('market_data')
    const { from, columns } = published('daily/bitcoin')
    const old = await answer(`/coins/bitcoin/history?date=${after(from)}`)
    expect(old.market_data.current_price.usd).toBe(columns.close_usd[0])
    expect(old.market_data.market_cap.usd).toBe(null)
  })

  it('takes a time in seconds, as a date, or as a time in UTC', async () => {
    const range = (from: string, to: string) =>
      answer(`/coins/bitcoin/market_chart/range?vs_currency=usd&from=${from}&to=${to}`)
    const own = await range('1794960000.0', '1795089600')
    expect(own.prices.length).toBeGreaterThan(1)
    expect(await range('2026-11-18', '2026-11-19T12:00')).toEqual(own)
    expect((await range('18-11-2026', '2026-11-19')).error).toMatch(/^Invalid parameter from/)
  })

  it('answers movers, totals and tickers as they are asked for', async () => {
    const euro = published('rates').rows.find(({ symbol }: { symbol: string }) => symbol === 'EUR').price_usd
    const [dollars, euros] = await Promise.all(
      ['usd', 'eur'].map((unit) => answer(`/coins/top_gainers_losers?vs_currency=${unit}`)),
    )
    const [{ usd, id }] = dollars.top_gainers
    expect(euros.top_gainers[0]).toMatchObject({ id, eur: Number((usd / euro).toPrecision(8)) })
    expect((await answer('/coins/top_gainers_losers?duration=7d')).error).toMatch(/^Invalid parameter duration/)
    const capOf = async (query: string) =>
      (await answer(`/global/market_cap_chart?${query}`)).market_cap_chart.market_cap
    const [[day, cap]] = await capOf('vs_currency=usd&days=1')
    expect(await capOf('vs_currency=eur')).toEqual([[day, Number((cap / euro).toFixed(2))]])
    const { tickers } = await answer('/exchanges/sample-a/tickers?coin_ids=ethereum')
    expect(new Set(tickers.map((ticker: { coin_id: string }) => ticker.coin_id))).toEqual(new Set(['ethereum']))
  })

  it('answers the past in the money of that day', async () => {
    const { rows } = published('rates/years/2026')
    const [dollars, euros] = await Promise.all(
      ['usd', 'eur'].map((unit) => answer(`/coins/ethereum/market_chart?vs_currency=${unit}&days=90`)),
    )
    expect(euros.prices).toHaveLength(dollars.prices.length)
    for (const [place, [at, price]] of dollars.prices.slice(0, -1).entries()) {
      const day = new Date(at - 1).toISOString().slice(0, 10)
      const rate = rows.findLast((row: { day: string; source: string }) => row.day <= day && row.source !== 'rates')
      expect(euros.prices[place]).toEqual([at, Number((price / rate.rates_usd.EUR).toPrecision(8))])
    }
  })

  it('answers candles at the end of each bar', async () => {
    const { timestamp, open_usd, high_usd, low_usd } = published('candles/bitcoin/days=7').rows.at(-1)
    const { bitcoin } = published('prices').prices
    const [end, high, low] = [
      Date.parse(timestamp) + 3_600_000,
      Math.max(high_usd, bitcoin),
      Math.min(low_usd, bitcoin),
    ]
    const found = await answer('/coins/bitcoin/ohlc?vs_currency=usd&days=7')
    expect(found.at(-1)).toEqual([end, open_usd, high, low, bitcoin])
  })

  it.each([
    ['/coins/no-such-coin', 404],
    ['/coins/..%2F..%2Fcollector', 404],
    ['/simple/price?ids=bitcoin', 422],
    ['/simple/price?vs_currencies=usd', 422],
    ['/simple/price?ids=a&ids=b&vs_currencies=usd', 422],
    ['/simple/token_price/no-such-chain?contract_addresses=0x1&vs_currencies=usd', 404],
    ['/coins/markets?vs_currency=xyz', 400],
    ['/coins/markets?vs_currency=usd&per_page=-1', 422],
    ['/coins/markets?vs_currency=usd&per_page=251', 422],
    ['/coins/markets?vs_currency=usd&page=0', 422],
    ['/coins/markets?vs_currency=usd&page=-1', 422],
    ['/coins/markets?vs_currency=usd&page=1e9', 422],
    ['/coins/markets?vs_currency=usd&page=999999999999', 422],
    ['/coins/markets?vs_currency=usd&category=no-such-category', 404],
    ['/coins/bitcoin/market_chart?vs_currency=xyz&days=7', 400],
    ['/coins/bitcoin/market_chart?vs_currency=usd&days=-7', 422],
    ['/coins/bitcoin/market_chart/range?vs_currency=usd&from=2&to=1', 422],
    ['/coins/bitcoin/history?date=31-02-2026', 422],
    ['/no/such/route', 404],
  ])('refuses %s in the shape of the other API', async (path, status) => {
    const response = await hosts.get(host)?.get(GECKO + path)
    expect(response?.status).toBe(status)
    expect(await response?.json()).toEqual({ error: expect.stringMatching(/\w/) })
  })

  const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`).join(',')
  it.each([
    ['/simple/price?ids=__proto__,constructor,toString&vs_currencies=usd,__proto__,constructor', 200],
    ['/simple/price?ids=bitcoin&vs_currencies=__proto__&__proto__=1', 200],
    [`/simple/price?ids=${many(500)}&vs_currencies=${many(500)}`, 200],
    [`/simple/price?ids=${many(501)}&vs_currencies=usd`, 422],
    [`/simple/price?symbols=${many(501)}&vs_currencies=usd`, 422],
    ['/simple/price?ids=bitcoin&ids=ethereum&vs_currencies=usd', 422],
    ['/simple/price?ids[]=bitcoin&vs_currencies=usd', 422],
    ['/simple/price?ids=%ff%00&vs_currencies=usd', 200],
    ['/coins/__proto__', 404],
    ['/coins/..%2f..%2fmanifest', 404],
    ['/coins/%ff', 404],
    ['/coins/markets?vs_currency=__proto__', 400],
    ['/coins/markets?vs_currency=usd&category=..%2fassets%2fbitcoin', 404],
    ['/coins/markets?vs_currency=usd&page=99999999999&per_page=250', 200],
    ['/coins/bitcoin/market_chart?vs_currency=usd&days=99999.999999', 200],
    ['/coins/bitcoin/market_chart/range?vs_currency=usd&from=0&to=99999999999', 200],
    ['/coins/bitcoin/history?date=00-00-0000', 422],
    ['/coins/bitcoin/history?date=01-01-0000', 200],
    ['/simple/token_price/constructor?contract_addresses=0x1&vs_currencies=usd', 404],
    [`/search?query=${'('.repeat(200)}`, 200],
    [`/search?query=${'a'.repeat(201)}`, 422],
  ])('answers %s with status %i, and with nothing of a prototype', async (path, status) => {
    const response = await hosts.get(host)?.get(GECKO + path)
    const text = (await response?.text()) ?? ''
    expect([response?.status, text.length < 200_000]).toEqual([status, true])
    expect(text).not.toMatch(/native code|__proto__|constructor/)
    expect(() => JSON.parse(text)).not.toThrow()
  })

  it('reads few files for a request of many unknown names', async () => {
    const before = read.length
    await answer(`/simple/price?ids=${many(400)}&vs_currencies=usd`)
    expect(read.slice(before).filter((path) => path.includes('/x')).length).toBeLessThanOrEqual(20)
  })

  it('gives an id that two listings claim to the better ranked one, and answers former ids and slugs', async () => {
    const { prices } = published('prices')
    const ids = ['claimed', 'ether-of-old', 'frontier', 'ethereum']
    expect(await answer(`/simple/price?ids=${ids.join()}&vs_currencies=usd`)).toEqual({
      claimed: { usd: prices.bitcoin },
      'ether-of-old': { usd: prices.ethereum },
      frontier: { usd: prices.ethereum },
      ethereum: { usd: prices.ethereum },
    })
    const byId = await Promise.all(ids.map((id) => answer(`/coins/${id}?tickers=false&market_data=false`)))
    expect(byId.map(({ symbol }) => symbol)).toEqual(['btc', 'eth', 'eth', 'eth'])
    const listed: { id: string }[] = await answer('/coins/list')
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
  })

  it.each(routesWith('/coins/no-such-coin'))(
    'refuses %s: repeated, of an unknown coin or money, posted',
    async (declared) => {
      const [contract] = published('contracts/ethereum').rows
      const path = declared.replace(':address', contract.address).replace('/exchanges/:id', '/exchanges/sample-a')
      const statusOf = async (query: string, init?: RequestInit) => {
        const response = await hosts.get(host)?.get(`${GECKO}${path}?${query}`, init)
        const body = await response?.json()
        return [response?.status, Object.keys(body).join()]
      }
      expect(await statusOf('any=1&any=2')).toEqual([422, 'error'])
      expect(await statusOf(VALID, { method: 'POST', body: '{}' })).toEqual([405, 'error'])
      if (path.startsWith('/coins/no-such-coin')) expect(await statusOf(VALID)).toEqual([404, 'error'])
      const known = path.replace('no-such-coin', 'bitcoin')
      const money = await hosts
        .get(host)
        ?.get(`${GECKO}${known}?${VALID.replace('vs_currency=usd', 'vs_currency=xyz')}`)
      const takesMoney = /markets|market_chart|ohlc|top_gainers|market_cap_chart/.test(path)
      expect([money?.status, await money?.json()]).toEqual(
        takesMoney ? [400, { error: 'invalid vs_currency' }] : [200, expect.anything()],
      )
    },
  )

  it('answers an empty page beyond the last one, and 405 for a POST', async () => {
    expect(await answer('/coins/markets?vs_currency=usd&page=99999999')).toEqual([])
    const response = await hosts.get(host)?.get(`${GECKO}/ping`, { method: 'POST' })
    expect(response?.status).toBe(405)
    expect(response?.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  it('answers CryptoCompare with status 200 for errors too', async () => {
    const { prices } = published('prices')
    expect(await bodyOf(host, '/data/price?fsym=BTC&tsyms=USD')).toEqual({ USD: prices.bitcoin })
    expect(await bodyOf(host, '/data/pricemulti?fsyms=btc,ETH,NOPE&tsyms=USD')).toEqual({
      BTC: { USD: prices.bitcoin },
      ETH: { USD: prices.ethereum },
    })
    expect(await bodyOf(host, '/data/price?fsym=NOPE&tsyms=USD')).toMatchObject({ Response: 'Error' })
    const days = await bodyOf(host, '/data/v2/histoday?fsym=BTC&tsym=USD&limit=10')
    expect(days.Data.Data).toHaveLength(11)
    const all = await bodyOf(host, '/data/v2/histoday?fsym=BTC&tsym=USD&limit=2000')
    expect(all.Data.Data[0].time).toBe(Date.parse(published('daily/bitcoin').from) / 1000)
    const hours = await bodyOf(host, '/data/v2/histohour?fsym=BTC&tsym=USD&limit=5')
    expect(hours.Data.Data).toHaveLength(6)
    const bar = published('candles/bitcoin/days=7').rows.at(-1)
    expect(hours.Data.Data.at(-1)).toMatchObject({ time: Date.parse(bar.timestamp) / 1000, close: prices.bitcoin })
    const midnight = Date.parse('2026-11-18') / 1000
    const close = published('history/bitcoin/days=365').rows.find(
      ({ timestamp }: { timestamp: string }) => timestamp === '2026-11-17T00:00:00Z',
    ).price_usd
    expect(await bodyOf(host, `/data/pricehistorical?fsym=BTC&tsyms=USD,BTC&ts=${midnight}`)).toEqual({
      BTC: { USD: close, BTC: 1 },
    })
    expect(await bodyOf(host, '/data/pricehistorical?fsym=BTC&tsyms=USD&ts=1')).toMatchObject({ Response: 'Error' })
    const full = await bodyOf(host, '/data/pricemultifull?fsyms=BTC&tsyms=USD')
    expect(full.RAW.BTC.USD).toMatchObject({ PRICE: prices.bitcoin, FROMSYMBOL: 'BTC', TOSYMBOL: 'USD' })
  })

  it('answers a price as plain text', async () => {
    const response = await hosts.get(host)?.get('/text/bitcoin')
    expect(response?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(Number(await response?.text())).toBe(published('prices').prices.bitcoin)
    expect((await hosts.get(host)?.get('/text/no-such-coin'))?.status).toBe(404)
  })

  it('answers a conditional request with 304', async () => {
    const first = await hosts.get(host)?.get(`${GECKO}/global`)
    const etag = first?.headers.get('etag') ?? ''
    const again = await hosts.get(host)?.get(`${GECKO}/global`, { headers: { 'if-none-match': etag } })
    expect(again?.status).toBe(304)
  })
})

it('reports no error of its own', () => expect(reported).toEqual([]))

it('lists every route of CoinGecko on the page of differences, and no other', () => {
  const page = readFileSync(new URL('../../.github/docs/coingecko.md', import.meta.url), 'utf8')
  const [gecko] = SHAPES
  const described = [...page.matchAll(/^\/\S+$/gm)].map(([path]) => path)
  expect(described).toEqual(gecko?.routes.map(({ path }) => path))
})
