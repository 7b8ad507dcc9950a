import { describe, expect, it } from 'vitest'
import { knownAssets } from '../../src/core/registry/known-assets.ts'
import { namesAlike } from '../../src/core/registry/name-words.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'

const known = knownAssets(openRegistry())

describe('the directory', () => {
  it('knows large assets with id and contract', () => {
    expect(known.get('LINK')).toMatchObject([
      { coingecko: 'chainlink', name: 'Chainlink', contracts: expect.arrayContaining([expect.anything()]) },
    ])
  })

  it('has one asset of most symbols, and knows no money', () => {
    expect(known.get('VELO')?.map(({ name }) => name)).toEqual(['Velodrome Finance'])
    expect(known.get('EUR')).toBeUndefined()
  })
})

it.each([
  ['Fetch.ai', 'Fetch.AI Token', true],
  ['Terra Luna Classic', 'Terra Classic', true],
  ['The Graph', 'Graph', true],
  ['Velodrome Finance', 'Velo', false],
  ['White Whale', 'WHALE', false],
  ['The Sandbox', 'The Graph', false],
  ['Token', 'Token Network', false],
  ['', 'Acme', false],
])('%s and %s: alike %s', (one, other, alike) => {
  expect(namesAlike(one, other)).toBe(alike)
  expect(namesAlike(other, one)).toBe(alike)
})
