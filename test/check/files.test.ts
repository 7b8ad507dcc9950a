import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createServer } from 'node:http'
import { filesOnSite } from '../../src/check/file-inspection.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { specs } from '../../src/endpoints/table.ts'
import { NOON, copyLeanTree, leanRun, copyTree, newFolder } from '../sample-tree.ts'
import { fileFindings } from './findings.ts'

const good = newFolder()
let root: string
beforeAll(async () => {
  await copyLeanTree(good)
})
beforeEach(() => {
  root = newFolder()
  copyTree(good, root)
})
const at = (file: string) => join(root, 'api', file)
const replaceByFolder = (file: string) => {
  rmSync(at(file))
  mkdirSync(at(file))
}
const edit = (file: string, from: RegExp, to: string) =>
  writeFileSync(at(file), readFileSync(at(file), 'utf8').replace(from, to))

it('finds nothing in the files of a good tree', async () => {
  expect(await fileFindings(root)).toEqual([])
})

it.each<readonly [string, () => void, string, string, boolean]>([
  [
    'a changed byte',
    () => edit('mkt/assets/bitcoin.json', /Bitcoin/, 'Bitcorn'),
    'digests',
    'mkt/assets/bitcoin.json',
    true,
  ],
  ['a lost file', () => rmSync(at('mkt/markets.json')), 'digests', 'mkt/markets.json', true],
  ['a lost index', () => rmSync(at('mkt.json')), 'chain', 'mkt.json', true],
  ['a damaged manifest', () => writeFileSync(at('mkt/manifest.json'), '{'), 'chain', 'mkt/manifest.json', true],
  [
    'an edited collector',
    () => edit('mkt/collector.json', /"count":\d+/, '"count":99'),
    'digests',
    'mkt/collector.json',
    true,
  ],
  [
    'a count that is wrong',
    () => edit('mkt/collector.json', /"count":\d+/, '"count":99'),
    'schemas',
    'mkt/collector.json',
    true,
  ],
  ['a broken index', () => edit('mkt.json', /"version":"v1"/, '"version":1'), 'chain', 'mkt.json', true],
  ['a stray file', () => writeFileSync(at('mkt/stray.json'), '{}'), 'unlisted', 'mkt/stray.json', true],
  [
    'an old compressed file',
    () => writeFileSync(at('mkt/assets.json.gz'), ''),
    'encodings',
    'mkt/assets.json.gz',
    true,
  ],
  ['a cut publication', () => writeFileSync(join(root, '.journal'), '{}'), 'build', '.journal', true],
  [
    'a lock that was left',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: 999_999_999, host: hostname(), since: 'x' })),
    'build',
    '.lock',
    false,
  ],
  [
    'a build that runs',
    () => writeFileSync(join(root, '.lock'), JSON.stringify({ pid: process.pid, host: hostname(), since: 'x' })),
    'build',
    '.lock',
    false,
  ],
  ['a folder in place of a file', () => replaceByFolder('mkt/assets.json'), 'digests', 'mkt/assets.json', true],
])('names %s, and says what to do', async (_, harm, check, file, isError) => {
  mkdirSync(join(root, 'api'), { recursive: true })
  harm()
  const document = file.startsWith('.') ? file : `api/${file}`
  const finding = (await fileFindings(root)).find((one) => one.check === check && one.document === document)
  expect(finding?.advice).toMatch(/^[A-Z].*\.$/)
  expect(finding?.severity ?? 'error').toBe(isError ? 'error' : 'notice')
})

it('gives advice that repairs the error, even if an edited file kept its size and time', async () => {
  const file = at('mkt/assets/limit=10.json')
  const { atime, mtime } = statSync(file)
  edit('mkt/assets/limit=10.json', /Bitcoin/, 'Bitcorn')
  utimesSync(file, atime, mtime)
  expect((await fileFindings(root)).map(({ advice }) => advice)).toEqual([
    `Run touch ${file}, then npm run snapshot -- --out ${root} --sources sample, which composes it again.`,
  ])
  utimesSync(file, new Date(), new Date())
  await leanRun(root)
  expect(await fileFindings(root)).toEqual([])
})

it.each(['mkt/history/bitcoin/days=365.json', 'mkt/candles/bitcoin/days=30.json', 'mkt/closes/2026-11-20.json'])(
  'never advises to delete %s, which holds the past',
  async (file) => {
    edit(file, /"to":"2026|"asOf":"2026/, '"to":"2025')
    const advice = (await fileFindings(root)).flatMap((finding) => finding.advice ?? [])
    expect(advice).not.toEqual([])
    for (const one of advice) {
      expect(one).not.toMatch(/delete/i)
      expect(one).toContain('from the checkpoint')
    }
  },
)

it('reports the age of a stale tree', async () => {
  expect(await fileFindings(root, NOON + 24 * 3_600_000)).toMatchObject([
    {
      check: 'build',
      published: 'built at 2026-11-20T12:00:00Z',
      recomputed: 'a tree built after 2026-11-20T13:30:00Z',
      severity: 'notice',
    },
  ])
})

it('checks the files of a site by its address', async () => {
  rmSync(at('mkt/markets.json'))
  edit('mkt/rights.json', /"ok":true/, '"ok":tru')
  const server = createServer(({ url = '' }, response) => {
    try {
      response.end(readFileSync(join(root, decodeURIComponent(url))))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : null
  const files = filesOnSite(`http://127.0.0.1:${port}/`, { timeoutMs: 120_000, attempts: 1, pause: async () => null })
  const { findings } = await verifyTree(files, { specs, composition: null, now: NOON })
  server.close()
  expect(
    findings
      .filter(({ check }) => check === 'digests')
      .map(({ document }) => document)
      .toSorted(),
  ).toEqual(['api/mkt/markets.json', 'api/mkt/rights.json'])
})
