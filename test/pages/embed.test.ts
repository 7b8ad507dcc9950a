import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { sitePages } from '../../scripts/pages.ts'
import { listen } from '../../src/service/node.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'
import { onDisk } from '../service/world.ts'

describe.skipIf(CHROMIUM === undefined)('the elements for pages of others', () => {
  const root = newFolder()
  const closing: (() => Promise<unknown>)[] = []
  let browser: Browser
  let site = ''
  let elsewhere = ''
  let body = ''

  beforeAll(async () => {
    await sampleRun(root, { count: 30, pages: await sitePages() })
    const server = await listen(
      onDisk(root, () => NOON),
      '127.0.0.1',
      0,
    )
    const foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html><script type="module" src="${server.url}/embed.js"></script>${body}`)
    })
    await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done))
    const at = foreign.address()
    site = server.url
    elsewhere = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/`
    browser = await openChromium()
    closing.push(
      () => browser.close(),
      () => server.close(),
      () => new Promise((done) => foreign.close(done)),
    )
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  const shown = async (html: string, look: (page: Page) => Promise<void>): Promise<void> => {
    body = html
    const page = await browser.newPage()
    await page.clock.setFixedTime(NOON)
    await page.goto(elsewhere)
    await look(page)
    await page.close()
  }
  const profile = (slug: string): { readonly asset: { readonly price_usd: number; readonly symbol: string } } =>
    JSON.parse(readFileSync(join(root, `api/mkt/assets/${slug}.json`), 'utf8'))

  it('show a price on a page of another origin, and that of another asset when the attribute changes', () =>
    shown('<quote-price slug="bitcoin"></quote-price>', async (page) => {
      const quote = page.locator('quote-price')
      const value = () => quote.locator('data').getAttribute('value')
      await expect.poll(value).toBe(String(profile('bitcoin').asset.price_usd))
      expect(await quote.textContent()).toBe('')
      expect(await quote.getAttribute('title')).toBe('As of 2026-11-20 12:00 UTC')
      await quote.evaluate((element) => element.setAttribute('slug', 'ethereum'))
      await expect.poll(value).toBe(String(profile('ethereum').asset.price_usd))
    }))

  it('show a ticker with symbols, prices and changes', () =>
    shown('<quote-ticker slugs="bitcoin, ethereum"></quote-ticker>', async (page) => {
      const items = page.locator('quote-ticker li')
      await expect.poll(() => items.count()).toBe(2)
      expect(await items.first().textContent()).toMatch(/^BTC \$[\d,.]+ [+−]?\d+\.\d\d\u202f%$/)
    }))

  it('draw a chart that says in words what it shows', () =>
    shown('<quote-chart slug="bitcoin" days="30"></quote-chart>', async (page) => {
      const figure = page.locator('quote-chart figure')
      await expect.poll(() => figure.getAttribute('aria-label')).toMatch(/^bitcoin: \$[\d,.]+ to \$[\d,.]+ \(/)
      expect(await figure.locator('path').getAttribute('d')).toMatch(/^M0\.0 [\d.]+L/)
    }))

  it('show a dash for an unknown asset', () =>
    shown('<quote-price slug="no-such-coin"></quote-price>', async (page) => {
      await expect.poll(() => page.locator('quote-price data').textContent()).toBe('–')
    }))

  it('weigh less than 12 KB with gzip', async () => {
    const script = await (await fetch(`${site}/embed.js`)).text()
    expect(gzipSync(script).length).toBeLessThan(12_000)
  })
})
