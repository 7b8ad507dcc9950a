import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLastRun } from '../../src/core/run/last-run.ts'
import { newFolder, sampleTree } from '../sample-tree.ts'
import { run } from './commands.ts'
import { commandsIn } from './project-copy.ts'
import { type Reply, upstream } from './upstream.ts'
import { deepIt } from '../scale.ts'

const NOW = { MKT_NOW: '2026-11-20T12:00:00Z' }
const ticker = (id: string, name: string, symbol: string, rank: number, price: number) => ({
  id,
  name,
  symbol,
  rank,
  total_supply: 1000,
  max_supply: 0,
  first_data_at: '2020-01-01T00:00:00Z',
  last_updated: '2026-11-20T11:59:00Z',
  quotes: {
    USD: {
      price,
      volume_24h: 500_000,
      market_cap: price * 1000,
      percent_change_1h: 0.1,
      percent_change_24h: 2,
      percent_change_7d: 0,
      ath_price: price * 2,
      ath_date: '2025-01-01T00:00:00Z',
    },
  },
})
const TICKERS = 'api.coinpaprika.com/v1/tickers'
const good = JSON.stringify([
  ticker('btc-bitcoin', 'Bitcoin', 'BTC', 1, 97_000),
  ticker('eth-ethereum', 'Ethereum', 'ETH', 2, 3400),
  { ...ticker('bad-bad', 'Bad', 'BAD', 3, 1), name: null },
])

let stop: (() => void)[] = []
const gateway = async (replies: Readonly<Record<string, Reply>>): Promise<Record<string, string>> => {
  const { url, server }: { url: string; server: Server } = await upstream(replies)
  stop.push(() => server.close())
  return { ...NOW, MKT_UPSTREAM: url }
}
afterAll(() => {
  for (const close of stop) close()
  stop = []
})

const read = (root: string, file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
const live = (root: string, env: Record<string, string>, ...more: string[]) =>
  run('snapshot', ['--out', root, '--history-requests', '0', '--accept', 'listings_floor', ...more], env)

it('refuses a first publication that has few listings, and an empty start where a place is named', async () => {
  const env = await gateway({ [TICKERS]: { body: good } })
  const root = newFolder()
  const poor = await run('snapshot', ['--out', root, '--history-requests', '0'], env)
  expect(poor).toMatchObject({ code: 3, stderr: expect.stringMatching(/\d+ listings, and the least is 1000/) })
  const lost = await live(root, env, '--from', newFolder(), '--from', newFolder())
  expect(lost).toMatchObject({ code: 3, stderr: expect.stringMatching(/Nothing was restored.*--fresh/) })
  expect(existsSync(join(root, 'api'))).toBe(false)
})

describe('npm run snapshot', () => {
  const root = newFolder()
  let env: Record<string, string>
  beforeAll(async () => {
    env = await gateway({ [TICKERS]: { body: good }, 'coins.llama.fi': { body: '{"coins":{}}' } })
  })

  it('publishes the data of live sources, and names the silent ones', async () => {
    const { code, stdout } = await live(root, env)
    expect([code, stdout]).toMatchObject([0, expect.stringContaining('CoinGecko')])
    expect(read(root, 'api/mkt/assets/bitcoin.json')).toMatchObject({
      asset: { price_usd: 97_000, source_label: 'CoinPaprika', price_basis: { method: 'aggregators' } },
    })
    expect(read(root, 'api/mkt/assets.json')).toMatchObject({
      sourceStatus: 'degraded',
      sourceError: { sources: expect.arrayContaining(['coingecko']) },
    })
    expect(read(root, 'api/mkt/collector.json')).toMatchObject({
      rows: expect.arrayContaining([
        expect.objectContaining({
          source_id: 'coinpaprika',
          quarantined_count: expect.any(Number),
          consecutive_failures: 0,
        }),
      ]),
    })
  })

  // The other commands here are compiled into one file, in which a package may be loaded in another way.
  it('publishes the same as a clone compiles itself', async () => {
    const other = newFolder()
    const none = ['--history-requests', '0', '--accept', 'listings_floor']
    await commandsIn(fileURLToPath(new URL('../..', import.meta.url)), env)('snapshot', '--out', other, ...none)
    expect(read(other, 'api/mkt/assets.json')).toEqual(read(root, 'api/mkt/assets.json'))
  })

  // The index, the head, the collector, the status and API pages that show them, the manifest with the parts of these pages, and
  // the tables of the run, the sources and the documents with their list.
  deepIt('prints its report as JSON, and a run without news writes twelve files', async () => {
    const { stdout } = await live(root, env, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'published', documents: { written: 12, removed: 0 } })
    expect(readLastRun(root)).toMatchObject({ outcome: 'published', unpublished: [], findings: [] })
  })

  // Every other fault is told apart without a process, in test/faults/matrix.ts.
  it('answered 404 keeps the tree and exits with 4', async () => {
    const reply = { status: 404, body: '{"error":"gone"}' }
    const before = readFileSync(join(root, 'api/mkt/assets.json'), 'utf8')
    const { code, stderr } = await live(root, await gateway({ [TICKERS]: reply }), '--only', 'coinpaprika')
    expect([code, stderr]).toMatchObject([4, expect.stringContaining('is unchanged')])
    expect(readFileSync(join(root, 'api/mkt/assets.json'), 'utf8')).toBe(before)
    expect(readLastRun(root)).toMatchObject({ outcome: 'no_usable_source' })
  })
})

it('leaves no folder behind where a first run publishes nothing', async () => {
  const root = join(newFolder(), 'tree')
  const env = await gateway({ [TICKERS]: { status: 404, body: '{}' } })
  expect(await live(root, env, '--only', 'coinpaprika')).toMatchObject({ code: 4 })
  expect(existsSync(root)).toBe(false)
})

it('removes the report of an earlier run before it reads its options', async () => {
  const report = join(newFolder(), 'report.json')
  writeFileSync(report, '{"outcome":"published"}')
  expect(await run('snapshot', ['--report', report, '--listings', '0'], NOW)).toMatchObject({ code: 2 })
  expect(existsSync(report)).toBe(false)
})

describe('npm run snapshot refuses', () => {
  it.each([
    ['an unknown source', ['--only', 'nosuch'], {}, 2, 'There is no source "nosuch". It takes coingecko'],
    ['a count that is none', ['--listings', '1e3'], {}, 2, '--listings takes a whole number'],
    ['a clock that is none', [], { MKT_NOW: 'noon' }, 2, 'MKT_NOW'],
  ])('%s', async (_, args, env, code, text) => {
    const ended = await run('snapshot', ['--out', newFolder(), ...args], env)
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(text) })
    expect(ended.stderr).not.toContain('    at ')
  })

  deepIt('a tree of the other kind', async () => {
    const root = await sampleTree(12)
    const { code, stderr } = await live(root, await gateway({ [TICKERS]: { body: good } }))
    expect([code, stderr]).toMatchObject([3, expect.stringContaining('--fresh')])
  })

  it('a tree that another process is building', async () => {
    const root = newFolder()
    const holder = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
    writeFileSync(join(root, '.lock'), JSON.stringify({ pid: holder.pid, host: hostname(), since: 'now' }))
    const report = join(newFolder(), 'report.json')
    writeFileSync(report, '{"outcome":"published"}')
    const args = ['--sources', 'sample', '--listings', '30', '--out', root, '--report', report]
    const { code, stderr } = await run('snapshot', args, NOW)
    holder.kill()
    const built = `is being changed by process ${holder.pid}`
    expect([code, stderr]).toMatchObject([3, expect.stringContaining(built)])
    // The report of the run before does not stay.
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual({
      outcome: 'failed',
      error: expect.stringContaining(built),
    })
  })
})
