import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { checkMirror } from '../../src/check/mirror.ts'
import { readerAt } from '../../src/tree/remote.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'

const root = newFolder()
let mirror: string
beforeAll(async () => {
  await copySampleTree(root)
})
beforeEach(() => {
  mirror = newFolder()
  cpSync(root, mirror, { recursive: true, preserveTimestamps: true })
})

const check = () => checkMirror(readerAt(mirror, { timeoutMs: 120_000, attempts: 1, pause: async () => null }))
const at = (file: string) => join(mirror, file)
const flip = (file: string) => {
  const bytes = readFileSync(at(file))
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(at(file), bytes)
}

it('finds no fault with a copy', async () => {
  const { breaches, checked, snapshotId } = await check()
  expect(breaches).toEqual([])
  expect(checked).toBeGreaterThan(500)
  expect(snapshotId).toMatch(/^[0-9a-f]{16}$/)
})

it.each(['api/mkt/assets/bitcoin.json', 'api/mkt/history/bitcoin/days=7.json', 'api/mkt/collector.json', 'feed.xml'])(
  'catches one changed byte of %s',
  async (path) => {
    flip(path)
    expect((await check()).breaches).toEqual([{ path, what: 'different' }])
  },
)

it('catches a file that is not there, and a manifest that is another', async () => {
  rmSync(at('api/mkt/assets.json'))
  expect((await check()).breaches).toEqual([{ path: 'api/mkt/assets.json', what: 'missing' }])
  cpSync(join(root, 'api/mkt/assets.json'), at('api/mkt/assets.json'))
  writeFileSync(at('api/mkt/manifest.json'), `${readFileSync(at('api/mkt/manifest.json'), 'utf8')} `)
  expect((await check()).breaches).toEqual([{ path: 'api/mkt/manifest.json', what: 'different' }])
})

it('reports when there is nothing to compare it with', async () => {
  rmSync(at('api/mkt/manifest.json'))
  expect((await check()).breaches).toEqual([{ path: 'api/mkt/manifest.json', what: 'unreadable' }])
})
