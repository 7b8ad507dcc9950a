import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fileHost } from '../client/hosts.ts'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { notFoundPage } from '../../src/pages/document.tsx'
import { listen } from '../../src/service/node.ts'
import { FEW_REQUESTS, NOON, NO_REQUESTS, SITE, copyTree, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt, scaled } from '../scale.ts'
import { onDisk } from '../service/world.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { withStrange } from './strange-listings.ts'
import { withPages } from './with-pages.ts'
import { type Watched, barriers, picture, renewed, watched } from './browser.ts'

const NOW = NOON + 120_000
const LISTINGS = scaled(101, 150)
const root = newFolder()
let browser: Browser
let open: Watched[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  const pages = await withPages()
  const run = (count: number, now: number) => ({
    ...pages,
    count,
    now,
    sources: withStrange(sampleSources(now, count), now),
  })
  await sampleRun(root, { ...run(LISTINGS, NOON), ...scaled({ history: FEW_REQUESTS }, {}) })
  await sampleRun(root, { ...run(LISTINGS + 1, NOON + 60_000), history: NO_REQUESTS })
  browser = await openChromium()
})
afterEach(async () => {
  await Promise.all(open.map(({ context }) => context.close()))
  open = []
})
afterAll(async () => browser?.close())

// Colours and widths do not depend on the host: the second one is looked at on the first two.
const SCREENS: readonly (readonly [string, number, boolean])[] = [
  ['a desk', 1440, false],
  ['a phone at night', 390, true],
  ['a tablet', 820, true],
  ['a phone', 390, false],
]

const HOSTS = {
  'our server': async () => {
    const server = await listen(
      onDisk(root, () => NOW),
      '127.0.0.1',
      0,
    )
    return { site: `${server.url}/`, close: () => server.close() }
  },
  'a host of files below a path': async () => {
    const server = await fileHost(root)
    return { site: `${server.url}/some/folder/`, close: () => server.close() }
  },
} as const

/** Every page and its main way are in both suites; the deep one has the rest, on two hosts. */
const IS_DEEP = scaled(false, true)

describe.skipIf(CHROMIUM === undefined).each(Object.entries(HOSTS).slice(0, scaled(1, 2)))('on %s', (name, host) => {
  const isOurs = name === 'our server'
  let site = ''
  let close: () => Promise<void>
  let seen: Watched
  beforeAll(async () => {
    ;({ site, close } = await host())
    seen = await watched(browser, site, { now: NOW })
  })
  afterAll(async () => {
    await seen.context.close()
    await close()
  })

  const look = async (
    path: string,
    screen: { width?: number; dark?: boolean; now?: number } = {},
  ): Promise<Watched> => {
    await renewed(seen, { now: NOW, ...screen })
    await seen.page.goto(site + path)
    return seen
  }
  const rows = (page: Page) => page.locator('#market tbody tr')
  const first = (page: Page) => rows(page).first()
  const topOf = (page: Page, place: string) =>
    page
      .locator(place)
      .first()
      .evaluate((element) => element.getBoundingClientRect().top)

  const SIGNS = [
    ['market', '', '#market tbody tr'],
    ['second page', 'page/2.html', '#market tbody tr'],
    ['token', 'token/bitcoin.html', '.chart > svg .closes'],
    ['any token', 'token/?id=ethereum', '.chart > svg .closes'],
    ['categories', 'categories/', '#page tbody tr'],
    ['category', 'categories/stablecoin.html', '#page tbody tr'],
    ['exchanges', 'exchanges/', '#page tbody tr'],
    ['exchange', 'exchanges/sample-a.html', '#page tbody tr'],
    ['whole exchange', 'exchanges/?id=sample-a', '#page tbody tr'],
    ['ecosystem', 'ecosystem/', '[aria-label="DEX pairs"] tr'],
    ['status', 'status/', '#overview dd'],
    ['method', 'method/', '.rule'],
    ['list', 'list/', 'form .field'],
    ['watchlist', '?list=watchlist&watch=bitcoin', '#market tbody tr'],
    ['docs', 'docs/', '.doc'],
  ] as const
  /** The pages of the short suite, each on one of the screens. */
  const SHORT = { market: 'a phone at night', token: 'a desk', list: 'a phone at night', docs: 'a desk' }
  const short = new Map<string, string>(Object.entries(SHORT))
  describe.each(SIGNS.filter(([page]) => IS_DEEP || short.has(page)))('the page %s', (page, path, sign) => {
    it.each(SCREENS.slice(0, isOurs ? 4 : 2).filter(([screen]) => IS_DEEP || screen === short.get(page)))(
      'is complete and accessible at %s, and as wide as any window',
      async (_, width, dark) => {
        const seen = await look(path, { width, dark })
        await seen.page.locator(sign).first().waitFor()
        await expect.poll(() => seen.page.locator('[aria-busy=true]').count()).toBe(0)
        expect(await barriers(seen.page)).toEqual([])
        expect(seen.faults).toEqual([])
        if (isOurs && IS_DEEP) await picture(seen.page, `${page}-${width}${dark ? '-dark' : ''}`)
        for (const other of [width, 320, 641, 901, 1100]) {
          await seen.page.setViewportSize({ width: other, height: 900 })
          expect(await seen.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(other)
        }
      },
    )
  })

  it('the first row is near the top, and the first view is small', async () => {
    const { page, requested } = await look('', { width: 1440 })
    await first(page).waitFor()
    expect(await topOf(page, '#market tbody tr')).toBeLessThanOrEqual(360)
    await page.waitForLoadState('networkidle')
    expect(requested.length).toBeLessThanOrEqual(25)
    expect(requested.filter((url) => url.includes('/api/')).map((url) => url.replace(site, ''))).toEqual([
      'api/mkt/head.json',
    ])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await topOf(page, '#market tbody tr')).toBeLessThanOrEqual(400)
  })

  it.each([
    ['', 390],
    ['', 768],
    ['exchanges/sample-a.html', 390],
    ['exchanges/sample-a.html', 768],
    ['ecosystem/', 820],
  ])('the head and the first column of the table of /%s stay in view at %s px', async (path, width) => {
    const { page } = await look(path, { width })
    const box = page.locator('.scroll').last()
    const isBox = await box.evaluate((element) => {
      element.scrollTo(1000, 1000)
      if (element.scrollTop === 0) scrollTo(0, element.getBoundingClientRect().top + 1000)
      return element.scrollTop > 0
    })
    const head = await box.locator('thead th:visible').first().boundingBox()
    expect(head?.y).toBeGreaterThanOrEqual(56)
    expect(head?.y).toBeLessThan(((isBox && (await box.boundingBox())?.y) || 56) + 8)
    expect((await box.locator('tbody tr').nth(30).locator('th').boundingBox())?.x).toBeGreaterThanOrEqual(0)
  })

  it('all listings are searched, sorted and narrowed when a reader asks, and the way back leads to what was there', async () => {
    const { page } = await look('')
    await page.locator('[data-live]').waitFor()
    const price = () => page.getByRole('columnheader', { name: 'Price' })
    await price().getByRole('button').click()
    await expect.poll(() => price().getAttribute('aria-sort')).toBe('descending')
    const prices = async () =>
      (
        await rows(page)
          .locator('td.price data')
          .evaluateAll((all) => all.map((one) => Number(one.getAttribute('value'))))
      ).slice(0, 8)
    expect(await prices()).toEqual((await prices()).toSorted((a, b) => b - a))
    expect(page.url()).toContain('sort=Price')
    await page.getByRole('link', { name: 'Next ›' }).click()
    await expect.poll(() => page.url()).toContain('page=2')
    await expect.poll(() => rows(page).count()).toBeLessThan(100)
    await page.goBack()
    await page.goBack()
    await expect.poll(() => page.locator('[aria-sort=ascending]').textContent()).toBe('#')
    expect(new URL(page.url()).search).toBe('')

    await page.getByRole('link', { name: 'Gainers' }).click()
    await expect.poll(() => page.url()).toContain('list=gainers')
    await expect
      .poll(async () => (await rows(page).locator('td.day').allTextContents()).every((text) => text.startsWith('+')))
      .toBe(true)
    await page.getByLabel('Verified only').check()
    await expect.poll(() => page.url()).toContain('verified')
    await first(page).getByRole('link').click()
    await page.waitForURL(/token\//)
    await page.goBack()
    await expect.poll(() => page.getByRole('link', { name: 'Gainers' }).getAttribute('aria-current')).toBe('page')
    await page.goto(`${site}?q=ether`)
    await expect.poll(() => rows(page).locator('.token-name a').allTextContents()).toContain('Ethereum')
    await page.goto(`${site}?q=no%20such%20thing`)
    await page.getByText('No matching listings.').waitFor()
  })

  it('a star shows what the watchlist has, also after a removal and its undoing, and the list can be shared', async () => {
    const { page, faults } = await look('')
    const star = page.getByRole('button', { name: 'Watch Bitcoin', exact: true })
    await page.locator('[data-live]').waitFor()
    await star.click()
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true')
    await page.goto(`${site}?list=watchlist`)
    await expect.poll(() => rows(page).count()).toBe(1)
    await star.click()
    await page.getByText('Select the star of a listing to watch it.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await star.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(new URL(link).search).toBe('?list=watchlist&watch=bitcoin')

    await page.goto(`${site}token/bitcoin.html`)
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true')
    await page.evaluate('localStorage.setItem("watch", "ethereum")')
    await page.goto(link)
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Add to my watchlist' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(faults).toEqual([])
  })

  it('a column that is hidden stays so on the next visit, and comes back', async () => {
    const { page, faults } = await look('', { width: 1440 })
    const cap = first(page).locator('td.cap')
    const box = page.getByLabel('Market cap')
    await page.locator('[data-live]').waitFor()
    expect(await cap.isVisible()).toBe(true)
    await page.locator('summary', { hasText: 'Columns' }).click()
    await box.uncheck()
    await expect.poll(() => cap.isVisible()).toBe(false)
    await page.reload()
    await page.locator('[data-live]').waitFor()
    expect(await cap.isVisible()).toBe(false)
    expect(await first(page).locator('td.volume').isVisible()).toBe(true)
    await page.locator('summary', { hasText: 'Columns' }).click()
    await box.check()
    await expect.poll(() => cap.isVisible()).toBe(true)
    expect(faults).toEqual([])
  })

  it('a watchlist says that it is full, and what changed since the last visit', async () => {
    const { page } = await look('')
    const full = Array.from({ length: 100 }, (_, at) => `coin-${at}`).join()
    await page.evaluate((text) => localStorage.setItem('watch', text), full)
    const star = page.locator('.star').first()
    await star.click()
    await page.getByText('Your watchlist is full at 100 listings.').waitFor()
    expect(await star.getAttribute('aria-pressed')).toBe('false')
    await page.evaluate(() => {
      localStorage.setItem('watch', 'bitcoin')
      localStorage.setItem('visit', JSON.stringify({ at: '2026-11-19T12:00:00Z', prices: { bitcoin: 1 } }))
    })
    await page.goto(`${site}?list=watchlist`)
    await page.getByText('Your last visit: 2026-11-19 12:00 UTC.').waitFor()
    expect(await first(page).locator('td.visit').textContent()).toMatch(/^\+[\d,]+%$/)
  })

  it('shows amounts in another currency, which the address and the browser keep, and nothing moves', async () => {
    const { page, faults, requested } = await look('')
    const cost = () => first(page).locator('td.price').textContent()
    const choice = page.getByLabel('Currency', { exact: true })
    const place = () => choice.evaluate((element) => JSON.stringify(element.getBoundingClientRect()))
    await page.locator('[data-live]').waitFor()
    // Dollars need no rates.
    expect(requested.filter((url) => url.includes('/rates'))).toEqual([])
    const before = await place()
    await choice.focus()
    await expect.poll(() => choice.locator('option').count()).toBeGreaterThan(3)
    await choice.selectOption('EUR')
    await expect.poll(cost).toMatch(/^€[\d,]+\.\d\d$/)
    expect(await place()).toBe(before)
    await expect.poll(() => page.url()).toContain('vs=eur')

    await page.goto(`${site}token/bitcoin.html`)
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^€/)
    await page.getByText(/^In EUR at the rate of each day\./).waitFor()
    expect(Number(await page.getByLabel('Amount in EUR').inputValue())).toBeGreaterThan(1000)
    await page.goto(`${site}token/bitcoin.html?vs=btc`)
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^BTC\s(1\.0|0\.99)/)
    await choice.selectOption('USD')
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^\$/)
    expect(faults).toEqual([])
  })

  it('a coin has a chart with ranges, candles and a tooltip, a converter and its own API', async () => {
    const { page, faults } = await look('')
    await first(page).getByRole('link').click()
    await page.waitForURL(/token\/bitcoin\.html/)
    await page.locator('.chart > svg .closes').waitFor()
    const words = page.locator('#history-text')
    const week = await page.locator('.changes-strip div', { hasText: '7d' }).locator('dd').textContent()
    await expect.poll(() => words.textContent()).toContain(`7 days: ${week}, `)
    await page.locator('.ranges').getByText('30d', { exact: true }).click()
    await expect.poll(() => words.textContent()).toMatch(/^30 days: .*lowest point \$.*highest point \$/)
    const month = await page.locator('.changes-strip div', { hasText: '30d' }).locator('dd').textContent()
    expect(await words.textContent()).toContain(`30 days: ${month}, `)
    await expect.poll(() => page.url()).toContain('days=30')
    await page.locator('.ranges').getByText('Candles').click()
    await expect.poll(() => words.textContent()).toMatch(/Bars of sample-/)
    await page.locator('.chart').hover()
    const tip = page.locator('.tip')
    await expect.poll(() => tip.textContent()).toMatch(/2026-\d\d-\d\d[^]*Open \$[^]*Close \$/)
    const before = await tip.textContent()
    await page.locator('.chart').press('ArrowLeft')
    await expect.poll(() => tip.textContent()).not.toBe(before)
    await page.getByLabel('Amount in BTC').fill('2')
    const cost = Number(await page.getByLabel('Amount in USD').inputValue())
    await page.getByLabel('Amount in USD').fill(String(cost * 2))
    expect(Number(await page.getByLabel('Amount in BTC').inputValue())).toBeCloseTo(4, 5)
    await page.locator('.api').getByText('Python').click()
    expect(await page.locator('.api pre:visible').first().textContent()).toContain(
      `urlopen('${site}api/mkt/assets/bitcoin.json')`,
    )
    const [shown = ''] = /[\d,.]+/.exec((await page.locator('.price-line .price').textContent()) ?? '') ?? []
    expect(await page.locator('.basis').textContent()).toContain(`The result is $${shown}, with a confidence of`)
    expect(faults).toEqual([])
  })

  deepIt('the chart goes back to the listing', async () => {
    const { page, faults } = await look('token/bitcoin.html?days=all')
    await expect.poll(() => page.locator('#history-text').textContent()).toMatch(/^Since 20\d\d-/)
    expect(faults).toEqual([])
  })

  it('tables are sorted by their headings and by a list, and filtered; the whole of one has more rows than its document', async () => {
    const { page, faults } = await look('exchanges/sample-a.html', { width: 390 })
    await page.locator('[data-live]').waitFor()
    const cells = () =>
      page
        .locator('#page tbody td:nth-child(2) data')
        .evaluateAll((all) => all.map((one) => Number(one.getAttribute('value'))))
    await page.getByLabel('Sort by').selectOption({ label: 'Sort by Price' })
    expect(await cells()).toEqual((await cells()).toSorted((a, b) => b - a))
    expect(await page.locator('#page tbody tr').count()).toBe(100)
    const filter = page.getByLabel('Filter Markets')
    await filter.fill('btc/')
    expect(await page.locator('#page tbody tr:visible').count()).toBeLessThan(20)
    // Drawn within the field, so that no edge cuts it off.
    expect(await filter.evaluate((field) => getComputedStyle(field).outlineOffset)).toBe('-2px')
    await page.getByRole('link', { name: /^Show all/ }).click()
    await expect.poll(() => page.locator('#page tbody tr').count()).toBeGreaterThan(100)
    expect(faults).toEqual([])
  })

  it('the search finds coins with rank and price, and contracts, which are copied as a whole', async () => {
    // This page has nothing of what its address asks for.
    const { page } = await look('status/?id=bitcoin&list=watchlist&q=x')
    await page.locator('[data-live]').waitFor()
    expect(await page.locator('#overview').isVisible()).toBe(true)
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('search')
    await page.keyboard.type('etherium')
    await expect.poll(() => page.locator('#found a').first().innerText()).toMatch(/^Ethereum ETH\s+#2\s+\$[\d,.]+$/)
    await page.locator('#search').fill('0xdac17f958d')
    await page.locator('#found').getByRole('link', { name: 'Tether' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/token\/tether\.html/)
    await page.getByRole('button', { name: /^Copy 0xdac17f/ }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('0xdac17f958d2ee523a2206206994597c13d831ec7')
  })

  it('reports an unknown category, exchange and token', async () => {
    for (const [folder, kind] of Object.entries({ categories: 'category', exchanges: 'exchange', token: 'token' })) {
      const { page } = await look(`${folder}/?id=no-such`)
      await expect.poll(() => page.locator('h1').textContent()).toBe(`No such ${kind}`)
    }
  })

  it.runIf(isOurs)('the path that rows name as the page of a token is its document, drawn once', async () => {
    const loaded: string[] = []
    seen.page.on('request', (request) => loaded.push(request.url()))
    const { page, faults } = await look('token/ethereum')
    await page.locator('.chart .closes').waitFor()
    expect(loaded.filter((url) => /\/(?:assets|history)\//.test(url))).toEqual([
      `${site}api/mkt/history/ethereum/days=7.json`,
    ])
    expect(faults).toEqual([])
  })

  const ANSWERS: Readonly<Record<string, (text: string) => { readonly status?: number; readonly body: string }>> = {
    'a page of the host': () => ({ body: '<!doctype html><title>Welcome</title>' }),
    'its first half': (text) => ({ body: text.slice(0, text.length / 2) }),
    'an error': () => ({ status: 404, body: 'no such file' }),
  }
  it.each(Object.entries(ANSWERS).slice(0, scaled(1, 3)))(
    'a list whose document is %s is not shown, and is whole again',
    async (_, answer) => {
      const { page } = await look('list/')
      const file = `${site}api/mkt/markets.json`
      await page.route(file, async (route) => route.fulfill(answer(await (await route.fetch()).text())))
      await page.goto(`${site}?sort=Price&dir=desc`)
      await page.getByText(/^The data could not be loaded/).waitFor()
      await page.unroute(file)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => rows(page).count()).toBe(100)
    },
  )

  it('a chart without its document says so, and the line of the document stays', async () => {
    const { page } = await look('list/')
    await page.route('**/history/**', (route) => route.abort())
    await page.goto(`${site}token/bitcoin.html`)
    await page.getByText('The prices could not be loaded. Choose a range to try again.').waitFor()
    expect(await page.locator('.chart figure').isVisible()).toBe(true)
    await page.unroute('**/history/**')
    await page.locator('.ranges').getByText('30d', { exact: true }).click()
    await page.locator('.chart > svg .closes').waitFor()
  })

  it('stays a document, and says so, where a file of its program is gone', async () => {
    const { page } = await look('list/')
    await page.route('**/ui/chunk-*', async (route) => route.fulfill({ status: 404 }))
    await page.goto(`${site}?list=watchlist`)
    await page.getByText(/^The program of this page could not be loaded/).waitFor()
    expect(await page.locator('#market td.price').first().innerText()).toMatch(/^\$/)
  })

  it.runIf(isOurs)('shows text of a source as text, and links https URLs alone', async () => {
    const name = `<img src=x onerror="document.title='broken'">`
    const { page, faults } = await look('status/')
    await page.route('**/api/mkt/assets/*.json', async (route) => {
      const answer = (await (await route.fetch()).text())
        .replaceAll('"name":"Bitcoin"', () => `"name":${JSON.stringify(name)}`)
        .replaceAll(/"website":"[^"]*"/g, '"website":"javascript:document.title=1"')
      await route.fulfill({ body: answer, contentType: 'application/json' })
    })
    await page.goto(`${site}token/?id=bitcoin`)
    await expect.poll(() => page.locator('h1').textContent()).toContain(name)
    expect(await page.locator('main img:not([src*="/logos/"]), a[href^="javascript"]').count()).toBe(0)
    expect(faults).toEqual([])
  })

  const STRANGE_PLACES = [
    '?list=watchlist&watch=huge-price,tiny-price,unbroken-name,no-figures,markup,ethereum&vs=jpy',
    'token/huge-price.html?vs=jpy',
    'token/unbroken-name.html',
    'token/right-to-left.html',
    'token/no-figures.html',
    '',
  ]
  it.runIf(isOurs).each(STRANGE_PLACES.slice(0, scaled(3, 6)))(
    'fits strange names and prices into /%s on a narrow phone, and breaks no word that fits',
    async (path) => {
      const { page, faults } = await look(path, { width: 320 })
      await page.locator('[data-live]').waitFor()
      await expect.poll(() => page.locator('[aria-busy=true], [data-asked]').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const broken = page
        .locator('#market .token-name a')
        .evaluateAll((links) =>
          links
            .filter((link) => /^\w{1,12}$/.test(link.textContent) && link.getClientRects().length > 1)
            .map(({ textContent }) => textContent),
        )
      expect(await broken).toEqual([])
      expect(faults).toEqual([])
    },
  )

  it('leaves no hole where a chart has nothing to show', async () => {
    const { page } = await look('token/no-figures.html')
    await page.locator('[data-live]').waitFor()
    expect(await page.locator('#history').evaluate((part) => part.getBoundingClientRect().height)).toBeLessThan(160)
  })

  it('prints a coin on one page, with the name of the site, the time and the notice', async () => {
    const { page } = await look('token/bitcoin.html', { width: 718 })
    await page.locator('.chart > svg').waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const shown of ['header .brand', '#banner p', '#as-of', '.updated', 'h1'])
      expect(await page.locator(shown).first().isVisible(), shown).toBe(true)
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
    expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1)
  })

  it('works without storage and clipboard, and says so where it copies', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('denied', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse })
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    })
    try {
      await page.goto(`${site}token/tether.html`)
      await page.locator('[data-live]').waitFor()
      await page.getByRole('button', { name: /^Copy 0xdac17f/ }).click()
      await page.getByText('Select and copy').waitFor()
      await page.getByLabel('Theme').selectOption('dark')
      const star = page.locator('.star').first()
      await star.click()
      expect(await star.getAttribute('aria-pressed')).toBe('true')
      await page.locator('#page').evaluate((element) => element.setAttribute('aria-busy', 'true'))
      expect(await page.evaluate('document.getAnimations().length')).toBe(0)
      expect(errors).toEqual([])
    } finally {
      await context.close()
    }
  })

  it('a banner says when the data is old', async () => {
    const { page } = await look('', { now: NOON + 5 * 3_600_000 })
    await expect.poll(() => page.locator('#banner').innerText()).toContain('It was published 4 h ago')
  })

  it.runIf(IS_DEEP)('keeps the chosen theme', async () => {
    const { page } = await look('')
    await page.locator('[data-live]').waitFor()
    await page.getByLabel('Theme').selectOption('dark')
    await page.reload()
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
  })

  it('the docs run an endpoint and speak one language', async () => {
    const { page } = await look('docs/')
    expect(await page.locator('#docs h2').allTextContents()).toEqual([
      'Guides',
      'Prices',
      'History',
      'Lists',
      'Reference',
      'Every answer',
      'Errors',
      'Types',
    ])
    expect(await page.locator('#quickstart').textContent()).toContain(`curl '${site}text/bitcoin.txt'`)
    await page.locator('#prices').getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => page.locator('#prices .output').textContent()).toContain('"endpoint": "prices"')
    expect(await page.locator('#assetMarkets .output').textContent()).toContain('"pair": "BTC/')
    await page.locator('#wallet').getByText('Python').click()
    expect(await page.locator('#bot .sample:visible').textContent()).toContain('import json')
  })

  it('accepts a listing request where the host can, and shows errors beside the fields', async () => {
    const { page } = await look('list/')
    const send = page.getByRole('button', { name: 'Send request' })
    await page.locator('[data-live]').waitFor()
    // A new listing has no slug yet.
    expect(await page.getByLabel('Slug').isVisible()).toBe(false)
    await page.getByLabel('What for').selectOption('update')
    expect(await page.getByLabel('Slug').isVisible()).toBe(true)
    await page.getByLabel('What for').selectOption('new')
    if (!isOurs) {
      await page.getByLabel('Name required').fill('Acme')
      await send.click()
      await page.getByText('This site is static and does not accept requests').waitFor()
      return
    }
    await page.getByLabel('Website').fill('http://plain.example')
    await send.click()
    await page.locator('#name-error').filter({ hasText: /./ }).waitFor()
    expect(await page.locator('#website-error').textContent()).not.toBe('')
    expect(await page.getByLabel('Website').getAttribute('aria-invalid')).toBe('true')

    await page.getByLabel('Name required').fill('Acme Coin')
    await page.getByLabel('Symbol required').fill('ACME')
    await page.getByLabel('Website').fill('https://acme.example')
    await page.getByLabel('Contracts', { exact: true }).fill('ethereum 0x00000000000000000000000000000000000000aa')
    await send.click()
    const id = (await page.locator('#request-id').textContent()) ?? ''
    expect(id).not.toBe('')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.locator('#found-request .badge').getByText('pending').waitFor()
    await page.locator('#request').fill('no-such')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByText('There is no request with this id.').waitFor()
  })
})

it.skipIf(CHROMIUM === undefined)('shows a new publication without a click', async () => {
  const own = newFolder()
  copyTree(root, own)
  const host = await fileHost(own)
  const seen = await watched(browser, `${host.url}/some/folder/`, { now: NOW })
  open.push(seen)
  const { page } = seen
  try {
    await page.clock.install({ time: NOW })
    await page.goto(`${host.url}/some/folder/`)
    const price = page.locator('#market td.price').first()
    await expect.poll(() => page.locator('#as-of time').getAttribute('datetime')).toBe('2026-11-20T12:01:00Z')
    await page.locator('[data-live]').waitFor()
    const before = await price.textContent()
    await sampleRun(own, { ...(await withPages()), count: LISTINGS + 1, now: NOON + 30 * 60_000, history: NO_REQUESTS })
    await page.clock.fastForward(61_000)
    await expect.poll(() => price.textContent()).not.toBe(before)
    expect(await page.locator('#as-of time').getAttribute('datetime')).toBe('2026-11-20T12:30:00Z')
  } finally {
    await host.close()
  }
})

it.skipIf(CHROMIUM === undefined)(
  'keeps its figures while the site does not answer, and goes on by itself',
  async () => {
    const host = await fileHost(root)
    const seen = await watched(browser, `${host.url}/some/folder/`, { now: NOW })
    open.push(seen)
    const { page } = seen
    const notice = page.locator('#banner .late')
    try {
      await page.clock.install({ time: NOW })
      await page.route('**/api/**', (route) => route.abort())
      await page.goto(`${host.url}/some/folder/`)
      await expect.poll(() => notice.innerText()).toMatch(/^The site does not answer\. The page keeps its figures/)
      expect(await page.locator('#market td.price').first().innerText()).toMatch(/^\$/)
      await page.unroute('**/api/**')
      await page.clock.fastForward(61_000)
      await expect.poll(() => notice.count()).toBe(0)
    } finally {
      await host.close()
    }
  },
)

it.skipIf(CHROMIUM === undefined)('shows every page of rows and every coin without JavaScript', async () => {
  const host = await fileHost(root)
  const site = `${host.url}/some/folder/`
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  try {
    await page.goto(site)
    expect(await page.locator('#market tbody tr').count()).toBe(100)
    await page.getByRole('link', { name: 'Next ›' }).click()
    expect(page.url()).toBe(`${site}page/2.html`)
    expect(await page.locator('#market tbody tr').count()).toBeGreaterThan(0)
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('table').getByRole('link', { name: 'Bitcoin', exact: true }).click()
    expect(page.url()).toBe(`${site}token/bitcoin.html`)
    expect(await page.locator('h1').textContent()).toBe('Bitcoin BTC')
    expect(await page.locator('.price-line .price').textContent()).toMatch(/^\$/)
    expect(await page.locator('.chart figure svg').isVisible()).toBe(true)
    await page.goto(`${site}list/`)
    expect(await page.locator('main').innerText()).toContain('A request is sent as JSON')
  } finally {
    await context.close()
    await host.close()
  }
})

describe.skipIf(CHROMIUM === undefined)('on a host of files that shows a page for what it does not have', () => {
  it('the path that rows name as the page of a token leads there', async () => {
    const page404 = notFoundPage({ ...SITE, members: [], address: 'https://quotes.example/some/folder/' })
    const host = await fileHost(root, (_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' })
      response.end(page404)
    })
    const site = `${host.url}/some/folder/`
    const seen = await watched(browser, site, { now: NOW })
    open.push(seen)
    try {
      await seen.page.goto(`${site}token/ethereum`)
      await seen.page.waitForURL(`${site}token/?id=ethereum`)
      await expect.poll(() => seen.page.locator('h1').textContent()).toContain('Ethereum')
      await seen.page.goto(`${site}nothing/here`)
      expect(await seen.page.locator('h1').textContent()).toBe('Page not found')
      await seen.page.getByRole('searchbox').fill('etherium')
      const hit = seen.page.locator('.search').getByRole('link', { name: 'Ethereum' })
      await expect.poll(() => hit.locator('img').getAttribute('src')).toMatch(/logos\/ethereum\.svg$/)
      await hit.click()
      await seen.page.waitForURL(`${site}token/ethereum.html`)
      expect(seen.faults.filter((fault) => !fault.includes('404'))).toEqual([])
    } finally {
      await host.close()
    }
  })
})
