import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { isPrecompressed, precompress } from '../../src/tree/precompressed.ts'
import { NOON, newFolder, leanRun, copyCompressedLeanTree, copyLeanTree } from '../sample-tree.ts'

let root: string
const at = (file: string) => join(root, 'api', file)
beforeEach(() => {
  root = newFolder()
})

/** Every twin says what its file says, and has its time. */
function expectTrue(): void {
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const [, file, end] = /^(.*)\.(gz|br)$/.exec(name) ?? []
    if (file === undefined) continue
    const twin = readFileSync(join(root, name))
    const text = (end === 'gz' ? gunzipSync(twin) : brotliDecompressSync(twin)).toString()
    expect(text).toBe(readFileSync(join(root, file), 'utf8'))
    expect(statSync(join(root, name)).mtimeMs).toBe(statSync(join(root, file)).mtimeMs)
  }
}

it('compresses every file that is large enough, and leaves no draft behind', async () => {
  await copyLeanTree(root)
  const { files, made, bytes, encodedBytes } = await precompress(root)
  expect(made).toBe(2 * files)
  expect(isPrecompressed(root)).toBe(true)
  expect(existsSync(at('mkt/assets.json.br'))).toBe(true)
  expect(existsSync(at('mkt/assets/limit=1.json.br'))).toBe(statSync(at('mkt/assets/limit=1.json')).size >= 1024)
  expect(encodedBytes['.br']).toBeLessThan(bytes / 3)
  expectTrue()
  expect(readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.new'))).toEqual([])
})

it('compresses changed files alone, and deletes the compressed forms of missing files', async () => {
  await copyCompressedLeanTree(root)
  expect((await precompress(root)).made).toBe(0)
  writeFileSync(at('mkt/assets.json'), readFileSync(at('mkt/assets.json'), 'utf8').replace('bitcoin', 'botcoin'))
  utimesSync(at('mkt/assets.json'), new Date(0), new Date(0))
  rmSync(at('mkt/markets.json'))
  expect(await precompress(root)).toMatchObject({ made: 2, removed: 2 })
  expectTrue()
})

it('is deleted by a publication that changes its file', async () => {
  await copyCompressedLeanTree(root)
  await leanRun(root, { now: NOON + 3_600_000 })
  expectTrue()
  expect(existsSync(at('mkt.json.gz'))).toBe(false)
})

it('compresses the index before any other file, so that an interruption leaves no stale files behind', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(2000) })
  mkdirSync(join(root, 'api'))
  for (const file of ['0.json', 'api/mkt.json', 'zz.json']) writeFileSync(join(root, file), body)
  // The compressed file cannot replace a folder, so compression ends here.
  for (const file of ['0.json.gz', 'zz.json.gz']) {
    mkdirSync(join(root, file))
    utimesSync(join(root, file), new Date(0), new Date(0))
  }
  await expect(precompress(root)).rejects.toThrow('EISDIR')
  expect([existsSync(at('mkt.json.gz')), existsSync(at('mkt.json.br'))]).toEqual([true, true])
})
