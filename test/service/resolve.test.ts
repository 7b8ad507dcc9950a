import { describe, expect, it } from 'vitest'
import { specs } from '../../src/endpoints/table.ts'
import { resolve } from '../../src/service/resolve.ts'

const asked = (path: string) => resolve(specs, 'GET', new URL(`/api/mkt${path}`, 'http://host'))

describe('a parameter of another API', () => {
  it.each([
    ['/markets?ids=bitcoin', 'ids', '/assets/:slug'],
    ['/prices?limit=10&ids=bitcoin,ethereum', 'ids', '/prices'],
    ['/assets?vs_currency=eur', 'vs_currency', '/rates'],
    ['/prices?vs_currencies=eur,usd', 'vs_currencies', '/rates'],
    ['/history/bitcoin?vs_currency=', 'vs_currency', '/rates'],
  ])('in %s is refused with what to use instead', (path, parameter, instead) => {
    expect(asked(path)).toMatchObject({
      kind: 'error',
      status: 400,
      code: 'invalid_parameter',
      parameter,
      message: expect.stringContaining(instead),
    })
  })

  it('that nobody knows is ignored', () => {
    expect(asked('/assets?colour=blue&toString=1&limit=10')).toMatchObject({ file: 'api/mkt/assets/limit=10.json' })
  })
})
