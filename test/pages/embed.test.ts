import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { pageFiles } from '../../scripts/programs.ts'
import { listen } from '../../src/service/node.ts'
import { NOON, copySampleTree, newFolder } from '../sample-tree.ts'
import { deepIt } from '../scale.ts'
import { onDisk } from '../service/world.ts'

describe.skipIf(CHROMIUM === undefined)('the elements for pages of others', () => {
  const root = newFolder()
  const closing: (() => Promise<unknown>)[] = []
  let browser: Browser
  let site = ''
  let elsewhere = ''
  let body = ''
  let policy = ''
  const faults: string[] = []
  const asked: string[] = []

  beforeAll(async () => {
    await copySampleTree(root)
    const script = (await pageFiles()).find(({ name }) => name === 'embed.js')
    writeFileSync(join(root, 'embed.js'), script?.text ?? '')
    const server = await listen(
      onDisk(root, () => NOON),
      '127.0.0.1',
      0,
    )
    const foreign = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html')
      if (policy !== '') response.setHeader('content-security-policy', policy)
      const script = `<script type="module" src="${server.url}/embed.js"></script>`
      response.end(`<!doctype html>${url === '/plain' ? '' : script + body}`)
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
    faults.length = 0
    asked.length = 0
    page.on('dialog', (dialog) => {
      faults.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('request', (request) => asked.push(request.url()))
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

  deepIt('show a ticker with symbols, prices and changes', () =>
    shown('<quote-ticker slugs="bitcoin, ethereum"></quote-ticker>', async (page) => {
      const items = page.locator('quote-ticker li')
      await expect.poll(() => items.count()).toBe(2)
      expect(await items.first().textContent()).toMatch(/^BTC \$[\d,.]+ [+−]?\d+\.\d\d%$/)
    }),
  )

  it('draw a chart that says in words what it shows', () =>
    shown('<quote-chart slug="bitcoin" days="30"></quote-chart>', async (page) => {
      const figure = page.locator('quote-chart figure')
      await expect.poll(() => figure.getAttribute('aria-label')).toMatch(/^bitcoin: \$[\d,.]+ to \$[\d,.]+ \(/)
      expect(await figure.locator('path').getAttribute('d')).toMatch(/^M0\.0 [\d.]+L/)
    }))

  it('show a dash for an unknown asset', () =>
    shown('<quote-price slug="no-such-coin"></quote-price><quote-chart slug="bitcoin"></quote-chart>', async (page) => {
      const [quote, chart] = [page.locator('quote-price'), page.locator('quote-chart')]
      await expect.poll(() => quote.locator('[part]').textContent()).toBe('–')
      expect(await quote.getAttribute('title')).toBe('There is no asset no-such-coin.')
      await expect.poll(() => chart.locator('path').count()).toBe(1)
      await chart.evaluate((element) => element.setAttribute('slug', 'bitcoim'))
      await expect.poll(() => chart.getAttribute('title')).toBe('There is no asset bitcoim.')
      expect(await chart.locator('[part]').textContent()).toBe('–')
    }))

  it('show the known names of a ticker beside unknown ones and one that is no slug', () =>
    shown('<quote-ticker slugs="etherium, bitcoin, no-such-coin, <b>, ethereum"></quote-ticker>', async (page) => {
      const items = page.locator('quote-ticker li')
      await expect.poll(() => items.count()).toBe(5)
      const texts = await items.allTextContents()
      expect(texts[1]).toMatch(/^BTC \$/)
      expect(texts[4]).toMatch(/^ETH \$/)
      expect([texts[0], texts[2], texts[3]]).toEqual(['etherium –', 'no-such-coin –', '<b> –'])
      expect(await items.first().getAttribute('title')).toBe('There is no asset etherium.')
      expect(await items.nth(3).getAttribute('title')).toBe('There is no asset <b>.')
    }))

  it('work under a strict policy, twice on a page, and leave its globals and styles alone', async () => {
    policy = `default-src 'none'; script-src ${site}; connect-src ${site}; require-trusted-types-for 'script'`
    const twice = '<quote-price slug="bitcoin"></quote-price><quote-chart slug="bitcoin" days="7"></quote-chart>'
    await shown(
      `<script type="module" src="${site}/embed.js?again"></script><p>foreign</p>${twice}${twice}`,
      async (page) => {
        const values = page.locator('quote-price data')
        await expect.poll(() => values.count()).toBe(2)
        await expect.poll(() => page.locator('quote-chart path').count()).toBe(2)
        for (const value of await values.all())
          expect(await value.getAttribute('value')).toBe(String(profile('bitcoin').asset.price_usd))
        expect(faults).toEqual([])
        const fresh = await browser.newPage()
        await fresh.clock.setFixedTime(NOON)
        await fresh.goto(`${elsewhere}plain`)
        const globals = (other: Page) => other.evaluate(() => Object.getOwnPropertyNames(globalThis).toSorted())
        expect(await globals(page)).toEqual(await globals(fresh))
        expect(await page.locator('p').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(0, 0, 0)')
        expect(await page.evaluate(() => document.head.querySelectorAll('style, link').length)).toBe(0)
      },
    )
    policy = ''
  })

  it('run nothing that attributes hold, and ask no other address for them', () => {
    const harm = [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(1)</script>',
      '../../../healthz',
      'javascript:alert(1)',
    ]
    const attribute = (text: string) => text.replaceAll('"', '&quot;')
    const elements = harm.map(
      (text) =>
        `<quote-price slug="${attribute(text)}"></quote-price><quote-ticker slugs="${attribute(text)}"></quote-ticker>` +
        `<quote-chart slug="${attribute(text)}" days="${attribute(text)}"></quote-chart>`,
    )
    return shown(elements.join(''), async (page) => {
      const untold = page.locator(':is(quote-price, quote-ticker, quote-chart):not([title])')
      await expect.poll(() => untold.count()).toBe(0)
      expect(await page.locator('img, script:not([src])').count()).toBe(0)
      // Chromium notes that the API has no listing of such a name.
      expect(faults.filter((text) => !text.endsWith('404 (Not Found)'))).toEqual([])
      expect(asked.filter((url) => !/^\/(|embed\.js|api\/mkt.*)$/.test(new URL(url).pathname))).toEqual([])
    })
  })

  it('weigh less than 12 KB with gzip', async () => {
    const script = await (await fetch(`${site}/embed.js`)).text()
    expect(gzipSync(script).length).toBeLessThan(12_000)
  })
})
