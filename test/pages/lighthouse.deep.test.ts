import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CHROMIUM } from '../chromium.ts'
import { listen } from '../../src/service/node.ts'
import { newFolder, sampleRun } from '../sample-tree.ts'
import { onDisk } from '../service/world.ts'
import { withPages } from './with-pages.ts'

/** The last version that runs on Node 20. It is no dependency, because it would add a third to every installation; the gate adds it. */
const VERSION = 'lighthouse@12.8.2'

function lighthouse(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('lighthouse/package.json')), 'cli', 'index.js')
  } catch {
    return null
  }
}
const PROGRAM = lighthouse()

const Score = z.object({ score: z.number() })
const Result = z.object({
  categories: z.object({ performance: Score, accessibility: Score, 'best-practices': Score, seo: Score }),
  audits: z.object({
    'cumulative-layout-shift': z.object({ numericValue: z.number() }),
  }),
})

/** Largest shift of the layout that a reader hardly notices. */
const MOST_SHIFT = 0.02

const run = promisify(execFile)

describe.skipIf(CHROMIUM === undefined || PROGRAM === null)(`Lighthouse (npm install --no-save ${VERSION})`, () => {
  const root = newFolder()
  let server: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    const now = Date.now()
    await sampleRun(root, { ...(await withPages()), count: 600, now })
    server = await listen(onDisk(root, Date.now), '127.0.0.1', 0)
  })
  afterAll(() => server?.close())

  const tables = ['categories/', 'categories/stablecoin.html', 'exchanges/', 'exchanges/sample-a.html', 'ecosystem/']
  const pages = ['', '?list=watchlist&watch=bitcoin', 'token/bitcoin.html', 'status/', 'method/', 'list/', 'docs/']
  it.each(
    pages
      .concat(tables)
      .flatMap((page) => [[page, 'phone', []] as const, [page, 'desk', ['--preset=desktop']] as const]),
  )('has nothing to say against "/%s" on a %s', async (page, screen, options) => {
    const flags = ['--quiet', '--output=json', '--chrome-flags=--headless=new --no-sandbox', ...options]
    const { stdout } = await run(process.execPath, [PROGRAM ?? '', `${server.url}/${page}`, ...flags], {
      env: { ...process.env, CHROME_PATH: CHROMIUM },
      maxBuffer: 2 ** 26,
    })
    const { categories, audits } = Result.parse(JSON.parse(stdout))
    const { performance, ...others } = categories
    // A measurement of time depends on what else the machine does: it is told, not asserted.
    console.log(`/${page} on a ${screen}: performance ${Math.round(performance.score * 100)}`)
    expect(Object.fromEntries(Object.entries(others).map(([name, { score }]) => [name, score]))).toEqual({
      accessibility: 1,
      'best-practices': 1,
      seo: 1,
    })
    expect(audits['cumulative-layout-shift'].numericValue).toBeLessThanOrEqual(MOST_SHIFT)
  })
})
