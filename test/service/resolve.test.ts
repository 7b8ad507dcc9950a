import { describe, expect, it } from 'vitest'
import { exampleKey, fileOf, operationOf, urlOf } from '../../src/core/contract/endpoint-spec.ts'
import { FOREIGN_PARAMETERS } from '../../src/core/contract/parameters.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { RequestError, resolve } from '../../src/service/resolve.ts'

const asked = (path: string, method = 'GET') => {
  try {
    return resolve(specs, method, new URL(`http://host${path}`))
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return { endpoint: error.endpoint, ...error.problem }
  }
}

describe('a path', () => {
  const examples = specs.flatMap((spec) => {
    const key = spec.method === 'GET' ? exampleKey(spec) : null
    return key === null ? [] : [[operationOf(spec), spec, key] as const]
  })
  it.each(examples)('of %s resolves to its own document', (_, spec, key) => {
    expect(asked(urlOf(spec, key))).toMatchObject({ kind: 'document', spec, key, file: fileOf(spec, key) })
  })

  it.each(examples)('of %s is refused with each parameter of other APIs', (_, spec, key) => {
    const url = urlOf(spec, key)
    for (const parameter of FOREIGN_PARAMETERS.filter((name) => !(name in spec.parameters)))
      expect(asked(`${url}${url.includes('?') ? '&' : '?'}${parameter}=2`)).toMatchObject({ status: 400, parameter })
  })
})

describe('a limit', () => {
  it('resolves to its own file, and to the whole list to be cut', () => {
    const expected = { file: 'api/mkt/assets/limit=5.json', limited: { file: 'api/mkt/assets.json', rows: 5 } }
    expect(asked('/api/mkt/assets?limit=5')).toMatchObject(expected)
    expect(asked('/api/mkt/assets/limit=5.json')).toMatchObject(expected)
  })

  it('that is absent cuts nothing', () => {
    expect(asked('/api/mkt/assets')).toMatchObject({ limited: null })
    expect(asked('/api/mkt/history/bitcoin?days=7')).toMatchObject({ limited: null })
  })
})

describe('a parameter', () => {
  it.each([
    ['of no allowed value', '/api/mkt/history/bitcoin?days=8', 'days', 'days has an invalid value.'],
    ['that is empty', '/api/mkt/history/bitcoin?days=', 'days', 'days has an invalid value.'],
    ['that is not canonical', '/api/mkt/assets?limit=07', 'limit', 'limit has an invalid value.'],
    ['that is given twice', '/api/mkt/assets?limit=5&limit=5', 'limit', 'limit is given more than once.'],
    ['in a file name', '/api/mkt/assets/limit=0.json', 'limit', 'limit has an invalid value.'],
  ])('%s is a bad request that says what is allowed', (_, path, parameter, message) => {
    const allowed = expect.anything()
    expect(asked(path)).toMatchObject({ status: 400, code: 'invalid_parameter', parameter, message, allowed })
  })

  it('of the path that cannot be a slug is an unknown asset', () => {
    const unknown = { status: 404, code: 'asset_not_found', parameter: 'slug', allowed: null }
    expect(asked('/api/mkt/assets/Bit_Coin')).toMatchObject(unknown)
  })

  it('of the path that is invalid names the allowed values', () => {
    const unknown = { status: 404, code: 'not_found', parameter: 'chain', allowed: expect.any(String) }
    expect(asked('/api/mkt/contracts/Ethereum_')).toMatchObject(unknown)
  })
})

describe('a parameter of another API', () => {
  it.each([
    ['/markets?ids=bitcoin', 'ids', '/assets/:slug'],
    ['/gainers?limit=10&ids=bitcoin,ethereum', 'ids', '/prices'],
    ['/history/bitcoin?vs=eur', 'vs', '/rates'],
    ['/assets?vs_currency=eur', 'vs_currency', 'vs=eur'],
    ['/prices?vs_currencies=eur,usd', 'vs_currencies', 'vs=eur'],
    ['/history/bitcoin?vs_currency=', 'vs_currency', '/rates'],
    ['/assets?page=2', 'page', 'limit=n'],
    ['/assets?limit=100&offset=100', 'offset', 'limit=n'],
    ['/markets?start=101', 'start', '/assets'],
    ['/assets?convert=eur', 'convert', 'vs=eur'],
    ['/assets/bitcoin?currency=eur', 'currency', '/rates'],
    ['/prices?symbol=BTC', 'symbol', 'ids='],
    ['/assets?category=stablecoin', 'category', '/categories/:category'],
    ['/assets?q=bit', 'q', '/symbols/:symbol'],
    ['/markets?limit=10', 'limit', '/assets'],
    ['/markets?order=volume_desc', 'order', 'sort the rows'],
    ['/history/bitcoin?from=1700000000&to=1800000000', 'from', 'days=1, 7, 30, 90, 365'],
    ['/candles/bitcoin?interval=1h', 'interval', 'days='],
    ['/prices?symbols=BTC', 'symbols', 'ids=bitcoin,ethereum'],
  ])('in %s is refused with what to use instead', (path, parameter, instead) => {
    expect(asked(`/api/mkt${path}`)).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter,
      message: expect.stringContaining(instead),
    })
  })

  it('that is unknown is ignored', () => {
    const file = 'api/mkt/assets/limit=10.json'
    expect(asked('/api/mkt/assets?colour=blue&toString=1&limit=10')).toMatchObject({ file })
  })
})

describe('a computed answer', () => {
  it('names its document, the slugs in order and the currency', () => {
    const computed = { slugs: ['bitcoin', 'ethereum'], currency: 'eur' }
    const file = 'api/mkt/prices.json'
    for (const symbol of ['eur', 'EUR'])
      expect(asked(`/api/mkt/prices?ids=ethereum,bitcoin&vs=${symbol}`)).toMatchObject({
        file,
        ...computed,
        limited: null,
      })
  })

  it('does not apply without such a parameter, nor to a file', () => {
    expect(asked('/api/mkt/prices?limit=3')).toMatchObject({ slugs: null, currency: null })
    expect(asked('/api/mkt/prices.json?vs=eur')).toMatchObject({ currency: 'eur' })
    expect(asked('/api/mkt/history/bitcoin.json?days=8')).toMatchObject({ status: 400 })
    expect(asked('/api/mkt/assets/limit=3.json?limit=4')).toMatchObject({ status: 400 })
    expect(asked('/api/mkt/prices/vs=eur.json')).toMatchObject({ status: 404 })
  })

  const many = (count: number) => Array.from({ length: count }, (_, number) => `a${number}`).join()
  it.each([
    ['ids', 'ids='],
    ['ids', 'ids=bitcoin,'],
    ['ids', 'ids=bitcoin,bitcoin'],
    ['ids', 'ids=Bitcoin'],
    ['ids', `ids=${many(251)}`],
    ['ids', `ids=${many(5000)}`],
    ['ids', 'ids=bitcoin&ids=ethereum'],
    ['vs', 'vs='],
    ['vs', 'vs=eur,usd'],
  ])('refuses %s in %s', (parameter, query) => {
    const allowed = expect.stringContaining(`${parameter}=`)
    expect(asked(`/api/mkt/assets?${query}`)).toMatchObject({ status: 400, parameter, allowed })
  })

  it('takes 250 slugs', () => {
    expect(asked(`/api/mkt/assets?ids=${many(250)}`)).toMatchObject({ kind: 'document' })
  })
})

describe('a selection of rows', () => {
  it('names the document of all rows, the member and the value', () => {
    expect(asked('/api/mkt/contracts/ethereum/0xAA')).toMatchObject({
      file: 'api/mkt/contracts/ethereum.json',
      limited: null,
      pick: { member: 'address', value: '0xaa' },
    })
  })

  it('takes a slash into the value', () => {
    expect(asked('/api/mkt/contracts/cosmos/ibc%2F27')).toMatchObject({ pick: { value: 'ibc/27' } })
    expect(asked('/api/mkt/contracts/cosmos/ibc/27')).toMatchObject({ pick: { value: 'ibc/27' } })
  })

  it('does not apply to a whole document', () => {
    expect(asked('/api/mkt/contracts/ethereum')).toMatchObject({ pick: null })
  })
})
