import { mkdirSync, writeFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { editionsOf } from '../../src/service/disk.ts'
import { folderReader } from '../../src/core/tree/reader.ts'
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
  const edition = editionsOf(root, () => (clock += 1000))
  const first = edition()
  expect(edition()).toBe(first)
  publish(2)
  expect(edition()).not.toBe(first)
  expect(editionsOf(newFolder(), () => clock)()).toBe('')
  const looped = newFolder()
  mkdirSync(join(looped, 'api'))
  symlinkSync('mkt.json', join(looped, 'api/mkt.json'))
  expect(editionsOf(looped, () => clock)()).toBe('')
})

it('finds in a new publication what the one before did not have', async () => {
  const read = folderReader(root)
  expect(await read('api/mkt/new.json')).toBeNull()
  writeFileSync(join(root, 'api/mkt/new.json'), 'new')
  expect(await read('api/mkt/new.json')).toBe('new')
})
