import { expect, it } from 'vitest'
import { ECOSYSTEM } from '../../src/core/contract/product.ts'
import { entriesOf } from '../../src/core/registry/asset-files.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'

const grove = { slug: 'grove', symbol: 'GROVE', name: 'Grove' }
const registryOf = (own: readonly unknown[], ecosystem = { name: 'grove', title: 'Grove' }) =>
  openRegistry({ assets: entriesOf(own, ecosystem) })
const membersOf = (registry: ReturnType<typeof registryOf>) =>
  registry.assets.filter(({ ecosystem }) => ecosystem !== null).map(({ slug }) => slug)

it('makes the ecosystem of another name the publisher’s alone', () => {
  expect(membersOf(registryOf([grove]))).toEqual(['grove'])
  expect(membersOf(registryOf([], ECOSYSTEM))).toEqual(['bx', 'dmt-nat', 'tap-protocol', 'trac-network'])
})

it('keeps the other built-in assets, and lets an own entry replace one', () => {
  const { assets } = registryOf([grove, { slug: 'bitcoin', symbol: 'BTC', name: 'My Bitcoin', ecosystem: null }])
  expect(assets.filter(({ slug }) => slug === 'bitcoin').map(({ name }) => name)).toEqual(['My Bitcoin'])
  expect(assets.length).toBe(openRegistry().assets.length - 4 + 1)
})

it('says what is wrong with an own entry', () => {
  expect(() => registryOf([{ slug: 'grove', symbol: 'GROVE' }])).toThrow(/name/)
  expect(() => registryOf([grove, grove])).toThrow('both claim')
})
