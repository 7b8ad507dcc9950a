import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { filesInFolder } from '../../src/check/file-inspection.ts'
import { verifyTree } from '../../src/check/verify.ts'
import { createClient } from '../../src/client/client.ts'
import { specs } from '../../src/endpoints/table.ts'
import { BUILT_IN } from '../../src/exports/table.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { sitePages } from '../../scripts/pages.ts'
import { fileHost } from '../client/hosts.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

const COINS =
  'bitcoin ethereum tether solana usd-coin dogecoin cardano tron avalanche-2 chainlink polkadot litecoin uniswap monero ' +
  'stellar aave filecoin cosmos algorand maker'

describe('a feed of twenty coins', () => {
  const root = newFolder()
  const runInto = async (now: number) =>
    sampleRun(root, {
      count: 150,
      only: COINS.split(' '),
      hasBars: false,
      checkpoint: true,
      pages: await sitePages(),
      now,
    })
  beforeAll(async () => {
    await runInto(NOON)
  })

  it('takes at most 150 files and 5 MB, with its pages and its checkpoint', () => {
    const files = filesBelow(root, '')
    expect(files.length).toBeLessThanOrEqual(150)
    expect(files.reduce((bytes, file) => bytes + statSync(join(root, file)).size, 0)).toBeLessThan(5_000_000)
    expect(files).toContain('api/mkt/assets/bitcoin.json')
  })

  it('follows to the last digit from its own documents', async () => {
    const { findings } = await verifyTree(filesInFolder(root), { specs, composition: BUILT_IN, now: NOON })
    expect(findings).toEqual([])
  })

  it('answers the client from files alone', async () => {
    const host = await fileHost(root)
    const client = createClient({ mirrors: `${host.url}/some/folder`, now: () => NOON })
    const answers = await Promise.all([
      client.history('maker', { days: 365 }),
      client.assetMarkets('aave'),
      client.exchange('sample-a'),
      client.symbol('BTC'),
    ])
    expect(answers.map(({ data }) => data.rows.length > 0)).toEqual([true, true, true, true])
    const { data } = await client.candles('maker')
    expect([data.count, data.notice]).toEqual([0, expect.stringContaining('no bars of venues')])
    await host.close()
  })

  it('is extended by the next run, which rewrites what changed', async () => {
    const { published } = await runInto(NOON + 1_800_000)
    expect([published?.damaged, published?.removed]).toEqual([[], []])
    expect(published?.unchanged).toBeGreaterThan(40)
  })
})
