import { describe, expect, it } from 'vitest'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { bitfinex } from '../../src/core/sources/bitfinex.ts'
import { bitget } from '../../src/core/sources/bitget.ts'
import { bitstamp } from '../../src/core/sources/bitstamp.ts'
import { bitvavo } from '../../src/core/sources/bitvavo.ts'
import { coinbase } from '../../src/core/sources/coinbase.ts'
import { coinex } from '../../src/core/sources/coinex.ts'
import { gate } from '../../src/core/sources/gate.ts'
import { htx } from '../../src/core/sources/htx.ts'
import { kucoin } from '../../src/core/sources/kucoin.ts'
import { mexc } from '../../src/core/sources/mexc.ts'
import type { ReportedCurrency, Source } from '../../src/core/sources/source.ts'
import { whitebit } from '../../src/core/sources/whitebit.ts'
import { replies } from './replies.ts'

const A = '0x00000000000000000000000000000000000000a1'

const listOf = async (source: Source, bodies: Readonly<Record<string, unknown>>) =>
  ((await source.currencies?.(replies(bodies))) ?? []).map(({ symbol, name, contracts }: ReportedCurrency) => [
    symbol,
    name,
    contracts.map(({ platform, address }) => `${platform} ${address}`).join(),
  ])

describe('KuCoin', () => {
  const chain = (given: object) => ({
    chainId: 'eth',
    contractAddress: A,
    isWithdrawEnabled: true,
    isDepositEnabled: true,
    ...given,
  })
  const list = (...data: readonly object[]) =>
    listOf(kucoin, { '/api/v3/currencies': { code: '200000', data: data.map((row) => ({ currency: 'OLD', ...row })) } })

  it('names a currency as its quotes do, and leaves out money', async () => {
    expect(
      await list(
        { name: 'gala', fullName: 'Gala Games', chains: [chain({})] },
        { name: 'EUR', fullName: 'Euro', chains: null },
      ),
    ).toEqual([['GALA', 'Gala Games', `eth ${A}`]])
  })

  it('reads no contract as native on an open chain and as removed on a closed one', async () => {
    const closed = chain({ contractAddress: '', isWithdrawEnabled: false })
    expect(
      await list(
        { name: 'BTC', fullName: 'Bitcoin', chains: [chain({ contractAddress: '' }), chain({})] },
        { name: 'GONE', fullName: 'Gone Coin', chains: [closed, chain({ chainId: 'bsc' })] },
      ),
    ).toEqual([
      ['BTC', 'Bitcoin', ''],
      ['GONE', 'Gone Coin', `bsc ${A}`],
    ])
  })

  it('drops useless rows: a name that is the symbol, a symbol of two rows, a word for an address', async () => {
    const bnb = chain({ contractAddress: 'tethertether' })
    expect(
      await list(
        { name: 'ZEC', fullName: 'zec', chains: [bnb] },
        { name: 'TWO', fullName: 'One', chains: [] },
        { name: 'TWO', fullName: 'Another', chains: [] },
      ),
    ).toEqual([['ZEC', null, '']])
  })

  it('is an error when most rows are unreadable', async () => {
    await expect(list({ name: 1 }, { name: 2 }, { name: 'A', fullName: 'A', chains: [] })).rejects.toMatchObject({
      code: 'source_invalid',
    })
  })
})

it('Gate leaves out shares, delisted rows and wrapped forms of a native coin', async () => {
  const row = (currency: string, name: string, addr: string, given: object = {}) => ({
    currency,
    name,
    delisted: false,
    chain: 'ETH',
    chains: [
      { name: 'ETH', addr },
      { name: 'BSC', addr: A },
    ],
    category: [],
    ...given,
  })
  const body = [
    row('ACME', 'Acme Coin', 'invalid-ACME-1'),
    row('ETH', 'Ethereum', ''),
    row('AAPLX', 'Apple', A, { category: ['xstocks'] }),
    row('OLD', 'Old', A, { delisted: true }),
  ]
  expect(await listOf(gate, { '/api/v4/spot/currencies': body })).toEqual([
    ['ACME', 'Acme Coin', `BSC ${A}`],
    ['ETH', 'Ethereum', ''],
  ])
})

it('Coinbase counts the contract of the default network alone', async () => {
  const network = (id: string, contract_address: string | null) => ({ id, contract_address })
  const row = (id: string, given: object) => ({
    id,
    name: `${id} Coin`,
    status: 'online',
    details: { type: 'crypto' },
    default_network: 'ethereum',
    supported_networks: [network('polygon', A), network('ethereum', null)],
    ...given,
  })
  const body = [
    row('ETH', {}),
    row('ACME', { supported_networks: [network('ethereum', A)] }),
    row('EUR', { details: { type: 'fiat' } }),
    row('OFF', { status: 'delisted' }),
  ]
  expect(await listOf(coinbase, { '/currencies': body })).toEqual([
    ['ETH', 'ETH Coin', ''],
    ['ACME', 'ACME Coin', `ethereum ${A}`],
  ])
})

describe('HTX', () => {
  const chain = (baseChainProtocol: string, contractAddress?: string, chainType = 1) => ({
    baseChainProtocol,
    chainType,
    ...(contractAddress === undefined ? {} : { contractAddress }),
  })
  const chains = {
    code: 200,
    data: [
      { currency: 'btc', instStatus: 'normal', chains: [chain('BEP20', A.slice(2)), { chainType: 0 }] },
      { currency: 'usdt', instStatus: 'normal', chains: [chain('BEP20', A.slice(2))] },
      { currency: 'gone', instStatus: 'delisted', chains: [] },
    ],
  }
  const names = { status: 'ok', data: [{ name: 'usdt', fn: 'Tether USDT' }] }

  it('restores 0x, takes the symbol off the name, and believes no contract of a native coin', async () => {
    const bodies = { '/v2/reference/currencies': chains, '/v2/settings/common/currencies': names }
    expect(await listOf(htx, bodies)).toEqual([
      ['BTC', null, ''],
      ['USDT', 'Tether', `BEP20 ${A}`],
    ])
  })

  it('does without the names', async () => {
    expect(await listOf(htx, { '/v2/reference/currencies': chains })).toHaveLength(2)
  })
})

it.each([
  [
    'Bitget',
    bitget,
    '/api/v2/spot/public/coins',
    {
      code: '00000',
      data: [
        { coin: 'ACME', chains: [{ chain: 'ERC20', contractAddress: A }] },
        { coin: 'ETH', chains: [{ chain: 'ERC20', contractAddress: '' }] },
        { coin: 'APX', chains: [{ chain: 'BEP20', contractAddress: A }] },
      ],
    },
    [
      ['ACME', null, `ERC20 ${A}`],
      ['ETH', null, ''],
      ['ASTROPEPEX', null, `BEP20 ${A}`],
    ],
  ],
  [
    'CoinEx',
    coinex,
    '/v2/assets/info',
    {
      code: 0,
      data: [
        { short_name: 'ACME', full_name: 'Acme Coin', chain_info: [{ chain_name: 'Ethereum (ERC20)', identity: A }] },
        {
          short_name: 'CET',
          full_name: 'CoinEx Token',
          chain_info: [
            { chain_name: 'CSC', identity: '' },
            { chain_name: 'Ethereum (ERC20)', identity: A },
          ],
        },
      ],
    },
    [
      ['ACME', 'Acme Coin', `Ethereum (ERC20) ${A}`],
      ['CET', 'CoinEx Token', ''],
    ],
  ],
] as const)('%s gives contracts, on chains that the registry knows', async (_, source, path, body, expected) => {
  expect(await listOf(source, { [path]: body })).toEqual(expected)
  const [first] = (await source.currencies?.(replies({ [path]: body }))) ?? []
  expect(openRegistry().contractsSeen(source.id, first?.contracts ?? [])).toMatchObject([{ chain: 'ethereum' }])
})

it('WhiteBIT and Bitvavo give names', async () => {
  const assets = { BTC: { name: 'Bitcoin' }, USD: { name: 'US Dollar', providers: { deposits: [] } } }
  expect(await listOf(whitebit, { '/api/v4/public/assets': assets })).toEqual([['BTC', 'Bitcoin', '']])
  const coins = [{ symbol: 'LUNA', name: 'Terra Classic' }]
  expect(await listOf(bitvavo, { '/v2/assets': coins })).toEqual([['LUNC', 'Terra Classic', '']])
})

it('Bitfinex, Bitstamp and MEXC give names', async () => {
  const labels = [
    ['ADA', 'Cardano ADA'],
    ['UST', 'Tether USDt'],
    ['BTCF0', 'Future'],
    ['TON', 'Gram'],
  ]
  const maps = [[['TON', 'GRAM']], labels]
  expect(await listOf(bitfinex, { '/v2/conf/pub:map:currency:sym,pub:map:currency:label': maps })).toEqual([
    ['ADA', 'Cardano', ''],
    ['USDT', 'Tether USDt', ''],
    ['GRAM', null, ''],
  ])
  const currencies = [
    { name: 'Bitcoin', currency: 'BTC', type: 'crypto' },
    { name: 'Euro', currency: 'EUR', type: 'fiat' },
  ]
  expect(await listOf(bitstamp, { '/api/v2/currencies/': currencies })).toEqual([['BTC', 'Bitcoin', '']])
  const symbols = ['BTCUSDT', 'BTCUSDC'].map((symbol) => ({ symbol, baseAsset: 'BTC', fullName: 'Bitcoin' }))
  expect(await listOf(mexc, { '/api/v3/exchangeInfo': { symbols } })).toEqual([['BTC', 'Bitcoin', '']])
})
