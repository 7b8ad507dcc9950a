import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Asset } from '../../src/contract/asset.ts'
import { Market } from '../../src/contract/market.ts'
import { verify } from '../../src/check/recompute.ts'
import { run } from '../e2e/commands.ts'
import { newFolder, sampleRun } from '../sample-tree.ts'

const root = newFolder()
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, 'api/mkt', file), 'utf8'))
const published = (slug: string) => ({
  asset: z.object({ asset: Asset }).parse(read(`assets/${slug}.json`)).asset,
  markets: z.object({ rows: z.array(Market) }).parse(read(`assets/${slug}/markets.json`)).rows,
})

beforeAll(async () => {
  await sampleRun(root)
})

describe('a published price', () => {
  it('follows to the last digit from what is published beside it', () => {
    const { asset, markets } = published('bitcoin')
    expect(asset.price_basis.method).toBe('exchanges')
    expect(verify(asset, markets)).toMatchObject({ price_usd: asset.price_usd, differences: [] })
  })

  it.each([
    ['another price', (asset: Asset) => ({ ...asset, price_usd: 1 })],
    ['another method', (asset: Asset): Asset => ({ ...asset, price_basis: { ...asset.price_basis, method: 'dex' } })],
    [
      'a basis short of a source',
      (asset: Asset): Asset => ({
        ...asset,
        price_basis: { ...asset.price_basis, sources: asset.price_basis.sources.slice(1) },
      }),
    ],
  ])('with %s is told', (_, change) => {
    const { asset, markets } = published('bitcoin')
    expect(verify(change(asset), markets).differences).not.toEqual([])
  })

  it('is told when a market row was changed after it', () => {
    const { asset, markets } = published('bitcoin')
    const [first, ...rest] = markets
    if (!first) throw new Error('no market')
    for (const changed of [{ price_usd: 1 }, { volume_24h_usd: 1 }, { weight: 0.5 }])
      expect(verify(asset, [{ ...first, ...changed }, ...rest]).differences, JSON.stringify(changed)).not.toEqual([])
  })
})

describe('npm run verify', () => {
  it('finds every price of a tree equal', async () => {
    const { code, stdout } = await run('verify', ['--all', '--tree', root])
    expect([code, stdout]).toMatchObject([0, expect.stringMatching(/^(\d+) of \1 prices are equal\n$/)])
  })

  it('names the asset whose price does not follow, and what differs', async () => {
    const file = join(root, 'api/mkt/assets/ethereum.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"price_usd":[\d.]+,"percent/, '"price_usd":1.5,"percent'))
    const { code, stdout } = await run('verify', ['ethereum', 'bitcoin', '--tree', root])
    expect([code, stdout]).toMatchObject([
      3,
      expect.stringMatching(/ethereum: 1\.5 by exchanges: .*not 1\.5[\s\S]*bitcoin: .*equal\n1 of 2/),
    ])
  })

  it('says how to use it', async () => {
    expect(await run('verify', [])).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') })
    expect(await run('verify', ['--nope'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--help') })
  })
})
