import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import fse from 'fs-extra'
import { beforeEach, expect, it } from 'vitest'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { inOrderOfPublication, stagedFile } from '../../src/core/tree/layout.ts'
import { openTree } from '../../src/core/tree/tree.ts'
import { NOON, copyCompressedLeanTree, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'
import { deepIt, scaled } from '../scale.ts'

const HOUR_MS = 3_600_000

let root: string
const at = (file: string) => join(root, 'api', file)
beforeEach(() => {
  root = newFolder()
})

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile())

/** Returns how many precompressed files there are; each has the content and the time of its document. */
function checkedTwins(): number {
  const twins = filesOf(root).filter((name) => /\.json\.(gz|br)$/.test(name))
  for (const name of twins) {
    const body = readFileSync(join(root, name))
    const file = join(root, name.slice(0, -3))
    expect((name.endsWith('.gz') ? gunzipSync(body) : brotliDecompressSync(body)).toString(), name).toBe(
      readFileSync(file, 'utf8'),
    )
    expect(statSync(join(root, name)).mtimeMs).toBe(statSync(file).mtimeMs)
  }
  return twins.length
}

it('are published with every document that is large enough', async () => {
  await copyCompressedLeanTree(root)
  const large = filesOf(root).filter((name) => name.endsWith('.json'))
  expect(checkedTwins()).toBe(2 * large.filter((name) => statSync(join(root, name)).size >= 1024).length)
})

it.each([true, undefined])(
  'change together with their documents, run after run, with the option %s',
  async (compress) => {
    await copyCompressedLeanTree(root)
    for (const hours of scaled([1], [1, 2, 3])) {
      await leanRun(root, { now: NOON + hours * HOUR_MS, ...(compress === undefined ? {} : { compress }) })
      expect(checkedTwins()).toBeGreaterThan(40)
      expect(existsSync(at('mkt.json.br'))).toBe(true)
    }
  },
)

deepIt(
  'appear in a tree that had none, are made again where they are lost, and go when they are not wanted',
  async () => {
    await copyLeanTree(root)
    await leanRun(root, { compress: true })
    const made = checkedTwins()
    expect(made).toBeGreaterThan(40)
    rmSync(at('mkt/assets.json.br'))
    utimesSync(at('mkt/markets.json.gz'), new Date(0), new Date(0))
    await leanRun(root, { compress: true })
    expect(checkedTwins()).toBe(made)
    await leanRun(root, { compress: false })
    expect(filesOf(root).filter((name) => /\.(gz|br)$/.test(name) && !name.startsWith('state/'))).toEqual([])
  },
)

it('are made again where they were damaged, in the hour in which their document is compared', async () => {
  await copyCompressedLeanTree(root)
  const [document, twin] = [at('mkt/rights.json'), at('mkt/rights.json.gz')]
  const [content, { atime, mtime }] = [readFileSync(twin), statSync(twin)]
  writeFileSync(twin, Buffer.concat([content.subarray(0, -4), Buffer.from('XXXX')]))
  utimesSync(twin, atime, mtime)
  const hour = Number.parseInt(sha256Of(readFileSync(document)).slice(0, 2), 16) % 24
  await leanRun(root, { now: NOON + ((hour + 12) % 24) * HOUR_MS })
  expect(statSync(document).mtimeMs).toBe(mtime.getTime())
  expect(readFileSync(twin)).toEqual(content)
})

it('are the only compressed files that a publication replaces or deletes', async () => {
  await copyCompressedLeanTree(root)
  const foreign = ['backup.tar.gz', 'node_modules/a/b.json.br', 'bundles/2026.ndjson.gz', 'api/mkt/mine.txt.gz']
  for (const file of foreign) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'mine')
  }
  await leanRun(root, { now: NOON + HOUR_MS, compress: true })
  await leanRun(root, { now: NOON + 2 * HOUR_MS, compress: false })
  expect(foreign.map((file) => readFileSync(join(root, file), 'utf8'))).toEqual(foreign.map(() => 'mine'))
})

it('are new after a publication that ended at its journal is completed', async () => {
  await copyCompressedLeanTree(root)
  const [file, text] = ['api/mkt/assets.json', JSON.stringify({ text: 'x'.repeat(2000) })]
  const parts = [
    [`${file}.gz`, gzipSync(text)],
    [`${file}.br`, brotliCompressSync(text)],
    [file, Buffer.from(text)],
  ] as const
  for (const [path, body] of parts) fse.outputFileSync(join(root, stagedFile(path)), body)
  const put = parts.map(([path, body]) => [path, sha256Of(body)])
  writeFileSync(join(root, '.journal'), JSON.stringify({ put, drop: [] }))
  openTree(root)
  expect(readFileSync(join(root, file), 'utf8')).toBe(text)
  expect(gunzipSync(readFileSync(join(root, `${file}.gz`))).toString()).toBe(text)
  expect(brotliDecompressSync(readFileSync(join(root, `${file}.br`))).toString()).toBe(text)
})

it('come before their document, and the index last, in the order of publication', () => {
  const file = fc.constantFrom(
    'api/mkt.json',
    'api/mkt/manifest.json',
    'api/mkt/assets.json',
    'api/mkt/assets/limit=10.json',
    'api/mkt/assets/bitcoin.json',
    'index.html',
  )
  const name = fc.tuple(file, fc.constantFrom('', '.gz', '.br')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const sorted = names.toSorted(inOrderOfPublication)
      for (const one of sorted.filter((each) => /\.(gz|br)$/.test(each)))
        if (sorted.includes(one.slice(0, -3)))
          expect(sorted.indexOf(one)).toBeLessThan(sorted.indexOf(one.slice(0, -3)))
    }),
  )
})
