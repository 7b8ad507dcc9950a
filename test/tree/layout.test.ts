import { expect, it } from 'vitest'
import { inOrderOfPublication } from '../../src/core/tree/layout.ts'

it('publishes what is named before what names it: the parts of the manifest after every document, then it, the index and its head', () => {
  const files = [
    'api/mkt/head.json',
    'api/mkt.json',
    'api/mkt/manifest.json',
    'api/mkt/manifest/0.json',
    'api/mkt/assets.json',
    'api/mkt/assets/bitcoin.json',
  ]
  const [first, second, ...last] = files.toSorted(inOrderOfPublication)
  expect(first).toBe('api/mkt/assets/bitcoin.json')
  expect(second).toBe('api/mkt/assets.json')
  expect(last).toEqual(['api/mkt/manifest/0.json', 'api/mkt/manifest.json', 'api/mkt.json', 'api/mkt/head.json'])
  expect(files.toReversed().toSorted(inOrderOfPublication)).toEqual(files.toSorted(inOrderOfPublication))
})
