import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { diskStore } from '../../src/service/disk-store.ts'
import { newFolder } from '../sample-tree.ts'

const FILE = 'api/mkt/assets.json'
let root: string
const publish = (number: number) => {
  writeFileSync(join(root, FILE), `assets ${number}`)
  writeFileSync(join(root, 'api/mkt.json'), `index ${'x'.repeat(number)}`)
}

beforeEach(() => {
  root = newFolder()
  mkdirSync(join(root, 'api/mkt'), { recursive: true })
  publish(1)
})

it('distinguishes publications, and a missing one', async () => {
  let clock = 0
  const store = diskStore(root, () => (clock += 1000))
  const first = await store.edition()
  expect(await store.edition()).toBe(first)
  publish(2)
  expect(await store.edition()).not.toBe(first)
  expect(await diskStore(newFolder(), () => clock).edition()).toBe('')
})

it('finds in a new publication what the one before did not have', async () => {
  let clock = 0
  const store = diskStore(root, () => clock)
  expect(await store.read('api/mkt/new.json')).toBeNull()
  writeFileSync(join(root, 'api/mkt/new.json'), 'new')
  publish(2)
  clock += 1000
  expect(await store.read('api/mkt/new.json')).toBe('new')
})
