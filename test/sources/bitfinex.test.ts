import { expect, it } from 'vitest'
import { bitfinex } from '../../src/core/sources/bitfinex.ts'
import { observe } from './replies.ts'

const PATH = '/v2/tickers?symbols=ALL'
const MAPS = '/v2/conf/pub:map:currency:sym,pub:map:currency:label'
const ticker = (symbol: string, last = 40) => [symbol, 39, 1, 41, 1, -1, -0.025, last, 10, 45, 35, null]

it('makes one observation of each row, in common symbols', async () => {
  const rows = [
    ticker('tBTCUSD'),
    ticker('tAAVE:UST'),
    ticker('tDEAUSD', 0),
    ticker('tBTCF0:USTF0'),
    ticker('tTESTBTC:TESTUSD'),
    ['fUSD', 0.0004, 0.0002, 30, null, null],
    ['tBAD', 'n/a'],
  ]
  const observed = await observe(bitfinex, { [PATH]: rows, [MAPS]: [[], []] })
  expect(observed).toHaveLength(rows.length)
  expect(observed).toMatchObject([
    {
      kind: 'quote',
      market: 'tBTCUSD',
      base: 'BTC',
      quote: 'USD',
      last: 40,
      bid: 39,
      ask: 41,
      volume_24h_base: 10,
      percent_change_24h: -2.5,
    },
    { kind: 'quote', base: 'AAVE', quote: 'USDT' },
    { kind: 'quote', base: 'DEA', last: null },
    { kind: 'skipped', reason: 'not a spot pair' },
    { kind: 'skipped', reason: 'test pair' },
    { kind: 'skipped', reason: 'funding' },
    { kind: 'rejected' },
  ])
})

it.each([
  ['tLUNA2:USD', 'LUNA'],
  ['tLUNA:USD', 'LUNC'],
  ['tBCHN:USD', 'BCH'],
  ['tUSTUSD', 'USDT'],
  ['tTONUSD', 'GRAM'],
  ['tEOSUSD', 'A'],
  ['tWHBT:USD', 'WBT'],
])('reads %s as %s where the venue’s own map cannot be had', async (symbol, base) => {
  expect(await observe(bitfinex, { [PATH]: [ticker(symbol)] })).toMatchObject([
    { kind: 'quote', market: symbol, base },
    { kind: 'skipped', reason: expect.stringContaining('no currencies: ') },
  ])
})

it('reads a currency by the venue’s own map first, once and in capital letters', async () => {
  const symbols = [['UST', 'USDt'], ['WBT', 'WBTC'], ['WHBT', 'WBT'], ['EOS', 'Renamed'], ['broken']]
  const tickers = ['tWBTUSD', 'tWHBT:UST', 'tEOSUSD', 'tIOTUSD'].map((symbol) => ticker(symbol))
  expect(await observe(bitfinex, { [PATH]: tickers, [MAPS]: [symbols, []] })).toMatchObject([
    { base: 'WBTC', quote: 'USD' },
    { base: 'WBT', quote: 'USDT' },
    { base: 'RENAMED' },
    { base: 'IOTA' },
  ])
})

it.each(['t', 'tUSD', 't:USD', 'tAAA:', 'tA:B:C', 'tA\u200b:\u200b'])('rejects %j as no pair', async (symbol) => {
  expect(await observe(bitfinex, { [PATH]: [ticker(symbol)], [MAPS]: [[], []] })).toMatchObject([{ kind: 'rejected' }])
})
