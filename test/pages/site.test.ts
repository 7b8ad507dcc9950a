import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fileHost } from '../client/hosts.ts'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { notFound } from '../../src/pages/document.tsx'
import { PAGES } from '../../src/pages/pages.ts'
import { listen } from '../../src/service/node.ts'
import { FEW_REQUESTS, NOON, NO_REQUESTS, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt, scaled } from '../scale.ts'
import { onDisk } from '../service/world.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { withStrange } from './strange-listings.ts'
import { withPages } from './with-pages.ts'
import { type Watched, barriers, picture, renewed, watched } from './browser.ts'

const NOW = NOON + 120_000
/** More than a page of the market has before its program runs. */
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

const Index = z.object({ listings: z.number() })
const Found = z.object({ tokens: z.array(z.array(z.string())) })
const listings = () => Index.parse(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8'))).listings

// Colours and widths do not depend on the host: the second one is looked at on the first two.
const SCREENS: readonly (readonly [string, number, boolean])[] = [
  ['a desk', 1280, false],
  ['a phone at night', 390, true],
  ['a desk at night', 1280, true],
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

// A host of files takes as long as our server; the short suite shows what is special to it at the end of this file.
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
  const rows = (page: Page) => page.locator('.listings tbody tr:visible')
  const first = (page: Page) => rows(page).first()

  const SIGNS = [
    ['market', '', '.listings tbody tr'],
    ['token', 'token/bitcoin.html', '.chart canvas'],
    ['categories', 'categories/', '#page tbody tr'],
    ['category', 'categories/stablecoin.html', '#page tbody tr'],
    ['exchanges', 'exchanges/', '#page tbody tr'],
    ['exchange', 'exchanges/sample-a.html', '#page tbody tr'],
    ['ecosystem', 'ecosystem/', '[aria-label="DEX pairs"] tr'],
    ['status', 'status/', '#overview dd'],
    ['method', 'method/', '.rule'],
    ['list', 'list/', 'form .field'],
    ['watchlist', '?list=watchlist&watch=bitcoin', '.listings tbody tr'],
    ['docs', 'docs/', '.endpoint'],
  ] as const
  const SHORT = ['market', 'token', 'list']
  describe.each(SIGNS.filter(([page]) => IS_DEEP || SHORT.includes(page)))('the page %s', (page, path, sign) => {
    it.each(isOurs ? SCREENS.slice(0, scaled(1, 4)) : SCREENS.slice(0, 2))(
      'is complete and accessible at %s',
      async (_, width, dark) => {
        const seen = await look(path, { width, dark })
        await seen.page.locator(sign).first().waitFor()
        await expect.poll(() => seen.page.locator('[aria-busy]').count()).toBe(0)
        await seen.page.locator('#as-of time').waitFor()
        expect(await barriers(seen.page)).toEqual([])
        expect(seen.faults).toEqual([])
        expect(await seen.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        if (isOurs && scaled(false, true)) await picture(seen.page, `${page}-${width}${dark ? '-dark' : ''}`)
      },
    )
  })

  it('the market is searched, ordered and narrowed, and its address says so', async () => {
    const { page } = await look('')
    await first(page).getByText('Bitcoin', { exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('ether')
    expect(await rows(page).locator('.title a').allTextContents()).toContain('Ethereum')
    await expect.poll(() => page.url()).toContain('q=ether')
    await page.getByLabel('Search').fill('no such thing')
    await page.getByText('No matching listings.').waitFor()
    await page.getByLabel('Search').fill('')

    const price = page.getByRole('columnheader', { name: 'Price' })
    await price.getByRole('button').press('Enter')
    await expect.poll(() => price.getAttribute('aria-sort')).toBe('descending')
    // The focus stays, so that the same key turns the order around.
    await page.keyboard.press('Enter')
    await expect.poll(() => price.getAttribute('aria-sort')).toBe('ascending')
    await page.keyboard.press('Enter')
    await expect.poll(() => price.getAttribute('aria-sort')).toBe('descending')
    const prices = (await rows(page).locator('.price').allTextContents()).map((text) =>
      Number(text.replaceAll(/[$,]/g, '')),
    )
    expect(prices.slice(0, 8)).toEqual(prices.slice(0, 8).toSorted((a, b) => b - a))

    await page.getByRole('button', { name: 'gainers' }).click()
    await expect.poll(() => page.url()).toContain('list=gainers')
    await expect
      .poll(async () => (await rows(page).locator('.day').allTextContents()).every((text) => text.startsWith('+')))
      .toBe(true)

    // They are in an order of their own, which is that of no column.
    expect(await page.locator('[aria-sort$="ending"]').count()).toBe(0)

    await page.getByLabel('Verified only').check()
    await expect.poll(() => page.url()).toContain('verified')
    await page.reload()
    expect(await page.getByRole('button', { name: 'gainers' }).getAttribute('aria-pressed')).toBe('true')
    expect(await page.getByLabel('Verified only').isChecked()).toBe(true)
  })

  it.runIf(IS_DEEP)('a starred listing is on the watchlist, whose address another browser opens', async () => {
    const { page } = await look('')
    await page.getByRole('button', { name: 'Watch Bitcoin', exact: true }).click()
    await page.getByRole('button', { name: 'watchlist' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = await page.evaluate('navigator.clipboard.readText()')
    expect(link).toContain('watch=bitcoin')
    await page.evaluate('localStorage.clear()')
    await page.goto(site)
    await page.getByRole('button', { name: 'Watch Ethereum', exact: true }).click()
    await page.goto(String(link))
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await page.evaluate('localStorage.getItem("watch")')).toBe('ethereum')
    await page.getByRole('button', { name: 'Add to my watchlist' }).click()
    await page.goto(`${site}?list=watchlist`)
    await expect.poll(() => rows(page).count()).toBe(2)
  })

  it('a watchlist is shown before all listings are read', async () => {
    const { page, faults } = await look('status/')
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/markets.json', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${site}?list=watchlist&watch=bitcoin`)
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await page.locator('.above').innerText()).toMatch(/Most traded/)
    release()
    await page.locator('[data-live]').waitFor()
    expect(await rows(page).count()).toBe(1)
    expect(faults).toEqual([])
  })

  it.runIf(IS_DEEP)('shows amounts in another currency, which the address and the browser keep', async () => {
    const { page, faults, requested } = await look('')
    const cost = () => first(page).locator('.price').textContent()
    await expect.poll(cost).toMatch(/^\$/)
    // Dollars need no rates.
    expect(requested.filter((url) => url.includes('/rates'))).toEqual([])
    await page.getByLabel('Currency', { exact: true }).focus()
    await expect.poll(() => page.getByLabel('Currency', { exact: true }).locator('option').count()).toBeGreaterThan(3)
    await page.getByLabel('Currency', { exact: true }).selectOption('EUR')
    await expect.poll(cost).toMatch(/^€[\d,]+\.\d\d$/)
    await expect.poll(() => page.url()).toContain('vs=eur')
    await page.getByLabel('Search').fill('bitcoin')
    await expect.poll(() => page.url()).toMatch(/vs=eur.*q=bitcoin/)

    await page.goto(`${site}token/bitcoin.html`)
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^€/)
    await page
      .getByText(/In EUR: the chart at the rate of each day, other amounts at that of \d{4}-\d\d-\d\d\./)
      .waitFor()
    expect(await page.locator('td.number data').first().textContent()).toMatch(/^€/)
    await page.goto(`${site}token/bitcoin.html?vs=btc`)
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^BTC\s(1\.0|0\.99)/)
    await page.getByLabel('Currency', { exact: true }).selectOption('USD')
    await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^\$/)
    await expect.poll(() => page.url()).not.toContain('vs=')
    expect(faults).toEqual([])
  })

  it.runIf(IS_DEEP)('the market has every row in the document, and a reader returns to the same place', async () => {
    const { page, requested } = await look('')
    await expect.poll(() => page.locator('.listings tbody tr').count()).toBe(listings())
    await page.mouse.move(600, 500)
    await page.mouse.wheel(0, 100 * 56)
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(5000)
    await expect.poll(() => page.evaluate('history.state')).toBeGreaterThan(5000)
    const before = await page.evaluate('scrollY')
    await page.reload()
    await expect.poll(() => page.evaluate('scrollY')).toBe(before)
    await page.keyboard.press('Home')
    await expect.poll(() => page.locator('.listings svg.spark').first().isVisible()).toBe(true)
    // The rows bring their lines with them.
    expect(requested.filter((url) => url.includes('/history/'))).toEqual([])
  })

  it('a row opens its token, whose ranges and points can be read', async () => {
    const { page, faults } = await look('')
    await first(page).getByRole('link').click()
    await page.waitForURL(/token\/bitcoin\.html/)
    await page.locator('.chart canvas').waitFor()
    const edge = (of: string) =>
      page
        .locator(of)
        .first()
        .evaluate((element) => element.getBoundingClientRect().right)
    await expect.poll(async () => (await edge('.chart')) - (await edge('.chart .uplot'))).toBeGreaterThan(0)
    const told = page.locator('.history p')
    await expect.poll(() => told.textContent()).toMatch(/^7 days: /)
    await page.getByText('30 d', { exact: true }).click()
    await expect.poll(() => told.textContent()).toMatch(/^30 days: .*low \$.*high \$/)
    await expect.poll(() => page.url()).toContain('days=30')
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByText('Download CSV').click()])
    expect(saved.suggestedFilename()).toBe('bitcoin-30-days.csv')
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^timestamp,price_usd,volume_24h_usd\r\n2026-/)
    await page.getByLabel('Amount in BTC').fill('2')
    const cost = Number(await page.getByLabel('Amount in USD').inputValue())
    await page.getByLabel('Amount in USD').fill(String(cost * 2))
    expect(Number(await page.getByLabel('Amount in BTC').inputValue())).toBeCloseTo(4, 5)
    await page.locator('.chart .u-over').hover()
    const legend = () => page.locator('.u-legend').innerText()
    await expect.poll(legend).toMatch(/2026-\d\d-\d\d \d\d:00 UTC[^]*Bitcoin[^]*\$[\d,.]+/)
    const before = await legend()
    await page.locator('.chart').press('ArrowLeft')
    await expect.poll(legend).not.toBe(before)
    const [shown = ''] = /[\d,.]+/.exec((await page.locator('.price-line .price').textContent()) ?? '') ?? []
    expect(await page.locator('.basis').textContent()).toContain(`The result is $${shown}, with a confidence of`)
    expect(faults).toEqual([])
  })

  deepIt('the chart has candles with their venues', async () => {
    const { page, faults } = await look('token/bitcoin.html?measure=candles&days=30')
    const told = page.locator('.history p').last()
    await expect.poll(() => told.textContent()).toMatch(/^30 days: .* Bars of sample exchange /)
    await page.locator('.chart .u-over').first().hover()
    await expect
      .poll(() => page.locator('.u-legend').innerText())
      .toMatch(/ → .*, \d venues?[^]*Low[^]*\$[^]*High[^]*\$[^]*Volume/)
    const measure = page.getByLabel('Measure')
    await measure.selectOption('Price')
    await expect.poll(() => page.url()).not.toContain('candles')
    // One run has one volume, which makes no line.
    expect(await measure.locator('option').allTextContents()).toEqual(['Price', 'Candles'])
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([])
  })

  it('the totals of the market say what is known so far, and those of a category are asked for when they are opened', async () => {
    const { page, faults, requested } = await look('categories/')
    await page.locator('[data-live]').waitFor()
    expect(requested.filter((url) => url.includes('/totals/'))).toEqual([])
    await page.getByText('Market cap and volume over time').click()
    await page.getByText(/^One market cap for the last 24 hours is known: \$/).waitFor()
    expect(faults).toEqual([])
  })

  it.runIf(isOurs && IS_DEEP)(
    'is walked with the keyboard alone, from the market to a token, and shows where the focus is',
    async () => {
      const { page, faults } = await look('')
      const { keyboard } = page
      await page.locator('[data-live]').waitFor()
      const focused = page.locator(':focus')
      /** Presses Tab until the focus is on a control, and looks for its outline. */
      const tabTo = async (wanted: Locator) => {
        for (let stops = 0; stops < 40; stops++) {
          await keyboard.press('Tab')
          if (await wanted.evaluate((element) => element === document.activeElement)) return expectOutline()
        }
        throw new Error(`Tab does not lead to ${String(wanted)}`)
      }
      const expectOutline = async () => {
        const [style, width] = await focused.evaluate((element) => {
          const shown = element.matches('input[type=radio]') ? (element.nextElementSibling ?? element) : element
          const { outlineStyle, outlineWidth } = getComputedStyle(shown)
          return [outlineStyle, outlineWidth]
        })
        expect(style).not.toBe('none')
        expect(parseFloat(width ?? '')).toBeGreaterThanOrEqual(1)
      }

      await tabTo(page.getByRole('link', { name: 'Skip to the content' }))
      await keyboard.press('/')
      await expectOutline()
      await keyboard.type('bitcoin')
      await tabTo(page.getByRole('button', { name: 'Watch Bitcoin', exact: true }))
      await keyboard.press('Space')
      await expect.poll(() => focused.getAttribute('aria-pressed')).toBe('true')
      await keyboard.press('/')
      await page.locator('.search').getByRole('link', { name: 'Bitcoin BTC' }).waitFor()
      expect(await barriers(page)).toEqual([])
      await keyboard.press('ArrowDown')
      await expectOutline()
      await keyboard.press('Enter')

      await page.waitForURL(/token\/bitcoin\.html/)
      await page.locator('.chart canvas').first().waitFor()
      await tabTo(page.getByLabel('Currency', { exact: true }))
      // The focus reads the rates; until they are there, the only choice is the dollar.
      await page
        .getByLabel('Currency', { exact: true })
        .locator('option', { hasText: 'EUR' })
        .waitFor({ state: 'attached' })
      await keyboard.press('E')
      await expect.poll(() => page.locator('.price-line .price').textContent()).toMatch(/^€/)
      await page.locator('.chart canvas').first().waitFor()
      await page.getByLabel('Currency', { exact: true }).focus()
      await tabTo(page.getByRole('radio', { name: '7 d' }))
      await keyboard.press('ArrowRight')
      await expect.poll(() => page.url()).toContain('days=30')
      await page.locator('.chart canvas').first().waitFor()
      await tabTo(page.getByRole('img', { name: /^Chart/ }))
      await keyboard.press('ArrowLeft')
      await expect.poll(() => page.locator('.u-legend').innerText()).toMatch(/\d/)
      await tabTo(page.getByLabel('Amount in BTC'))
      await keyboard.press('Control+A')
      await keyboard.type('2')
      const cost = page.getByLabel(/^Amount in (?!BTC)/)
      await expect.poll(async () => Number(await cost.inputValue())).toBeGreaterThan(10_000)
      expect(faults).toEqual([])
    },
  )

  it.runIf(IS_DEEP)('on a slow connection shows the built rows first, and then the whole feed', async () => {
    const { page, faults, context } = await look('status/')
    const network = await context.newCDPSession(page)
    // The tree has an eighth of the usual listings, and this host does not compress: about as long as 50 KB/s take for those.
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 300,
      downloadThroughput: 20_000,
      uploadThroughput: 20_000,
    })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await context.route('**/markets.json', async (route) => {
      await held
      await route.continue()
    })
    const begun = page.waitForRequest((request) => request.url().endsWith('/markets.json'))
    await page.goto(site, { waitUntil: 'commit' })
    await begun
    expect(await page.locator('.listings tbody tr').count()).toBe(100)
    release()
    await expect.poll(() => page.locator('.listings tbody tr').count()).toBe(listings())
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(faults).toEqual([])
    await network.detach()
  })

  it.runIf(IS_DEEP)('the search finds the id of another service', async () => {
    const { page } = await look('')
    const { tokens } = Found.parse(JSON.parse(readFileSync(join(root, 'ui/search.json'), 'utf8')))
    const id = tokens.find(([slug]) => slug === 'ethereum')?.find((text, at) => at > 2 && text.length > 3) ?? ''
    await page.locator('[data-live]').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(id)
    await expect.poll(() => rows(page).count()).toBe(1)
    await first(page).getByRole('link').click()
    await expect.poll(() => page.url()).toMatch(/token\/ethereum\.html/)
  })

  it.runIf(IS_DEEP)('the key / leads to the search from every page, which finds a contract and opens it', async () => {
    const { page } = await look('status/')
    await page.locator('#overview').waitFor()
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('search')
    await page.keyboard.type('0xdac17f958d')
    await page.getByRole('link', { name: 'Tether USDT' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/token\/tether\.html/)
  })

  it.runIf(IS_DEEP)('shows the last request, whatever arrives later', async () => {
    const { page, faults } = await look('token/bitcoin.html')
    await page.locator('.chart canvas').waitFor()
    // Never answered: one waits for it until something else is asked for.
    await page.route(/days=30|assets\/bitcoin\.json/, () => {})
    const given = (part: string) =>
      page.waitForEvent('requestfailed', { predicate: (request) => request.url().includes(part) })

    const range = given('days=30')
    await page.getByText('30 d', { exact: true }).click()
    await page.getByText('1 y', { exact: true }).click()
    await range
    await page.getByText('365 days:').waitFor()

    expect(faults).toEqual([])
  })

  it('copies a whole contract address', async () => {
    const { page } = await look('token/tether.html')
    // The word stays for a moment only, so it is waited for before the click.
    await Promise.all([
      page.getByText('Copied').waitFor(),
      page.getByRole('button', { name: /^Copy 0xdac17f/ }).click(),
    ])
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('0xdac17f958d2ee523a2206206994597c13d831ec7')
  })

  it('reports an unknown category, exchange and token, and opens the token of an older link', async () => {
    const { page } = await look('categories/?id=no-such')
    await page.getByRole('heading', { name: 'No such category' }).waitFor()
    await page.goto(`${site}exchanges/?id=no-such`)
    await page.getByRole('heading', { name: 'No such exchange' }).waitFor()
    await page.getByRole('link', { name: 'All exchanges' }).click()
    await page.getByRole('heading', { name: 'Exchanges' }).waitFor()
    await page.goto(`${site}token/?id=no-such`)
    await page.getByRole('heading', { name: 'No such token' }).waitFor()
    expect(await page.locator('#trouble').innerText()).toBe('')
    await page.goto(`${site}token/#ethereum`)
    await page.getByRole('heading', { name: 'Ethereum' }).waitFor()
    expect(await page.title()).toContain('Ethereum (ETH)')
  })

  it.runIf(isOurs)('the path that rows name as the page of a token is that page', async () => {
    const { page, faults } = await look('token/ethereum')
    await expect.poll(() => page.locator('h1').textContent()).toContain('Ethereum')
    expect(faults).toEqual([])
  })

  const ANSWERS: Readonly<Record<string, (text: string) => { readonly status?: number; readonly body: string }>> = {
    'a page of the host': () => ({ body: '<!doctype html><title>Welcome</title>' }),
    'its first half': (text) => ({ body: text.slice(0, text.lastIndexOf('\n', text.length / 2)) }),
    nothing: () => ({ body: '' }),
    'an error': () => ({ status: 404, body: 'no such file' }),
  }
  const LOST = /^The (data could not be|site has no)/
  const PARTS = [
    ['', 'global', /^Not loaded: the totals\./, '.listings td.price'],
    ['', 'markets', /^Not loaded: the listings\./, '.listings td.price'],
    ['token/bitcoin.html', 'assets/bitcoin/markets', /^Not loaded: the markets\./, '.history svg, .history canvas'],
    ['token/bitcoin.html', 'assets/bitcoin', LOST, '.price-line .price'],
    ['?vs=eur', 'rates', /^Not loaded: the rates of currencies\./, '.listings td.price'],
    ['status/', 'collector', LOST, '#overview dd'],
    ['status/', 'quarantine', /^Not loaded: the values held back\./, '#overview dd'],
    ['ecosystem/', 'dex-pairs', /^Not loaded: the DEX pairs\./, '#ecosystem td'],
  ] as const
  describe.each(PARTS.slice(0, scaled(2, PARTS.length)))(
    'with the page /%s, the document %s',
    (path, name, sentence, sign) => {
      it.each(Object.entries(ANSWERS).slice(0, scaled(1, 4)))(
        'may be %s: the rest stays, and is whole again',
        async (_, answer) => {
          const { page } = await look('list/')
          const file = `${site}api/mkt/${name}.json`
          await page.route(file, async (route) => route.fulfill(answer(await (await route.fetch()).text())))
          await page.goto(site + path)
          const trouble = page.locator('#trouble')
          // The page asks again by itself as soon as its index is there.
          await page.locator('#as-of time').waitFor()
          await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
          await expect.poll(() => trouble.innerText()).toMatch(sentence)
          expect(await page.locator(sign).first().isVisible()).toBe(true)
          await page.unroute(file)
          await trouble.getByRole('button', { name: 'Try again' }).click()
          await expect.poll(() => trouble.innerText()).toBe('')
          expect(await page.locator('html').getAttribute('data-live')).toBe('')
        },
      )
    },
  )

  it('stays a document, and says so, where a file of its program is gone', async () => {
    const { page } = await look('list/')
    await page.route('**/ui/chunk-*', async (route) => route.fulfill({ status: 404 }))
    await page.goto(`${site}?list=watchlist`)
    await page.getByText(/^The program of this page could not be loaded/).waitFor()
    expect(await page.locator('.listings td.price').first().innerText()).toMatch(/^\$/)
  })

  it.runIf(isOurs)('stays a document with what another release lacks', async () => {
    const { page } = await look('status/')
    const lacking = (member: string) =>
      page.route('**/assets/bitcoin.json', async (route) => {
        const { asset, ...rest } = z.looseObject({ asset: z.looseObject({}) }).parse(await (await route.fetch()).json())
        await route.fulfill({ json: { ...rest, asset: { ...asset, [member]: undefined } } })
      })
    await lacking('fully_diluted_valuation_usd')
    await page.goto(`${site}token/bitcoin.html`)
    await page.locator('[data-live]').waitFor()
    expect(await page.locator('.figures div').filter({ hasText: 'Fully diluted' }).innerText()).toMatch(/–$/)
    await lacking('price_basis')
    await page.reload()
    await expect.poll(() => page.locator('#trouble').innerText()).toMatch(/^The data could not be loaded/)
    expect(await page.locator('.price-line .price').innerText()).toMatch(/^\$/)
    expect(await page.locator('#page table').count()).toBe(1)
  })

  it.runIf(isOurs)('shows text of a source as text, and links https URLs alone', async () => {
    const name = `<img src=x onerror="document.title='broken'">`
    const { page, faults } = await look('status/')
    await page.route('**/api/mkt/{markets,assets}/*.json', async (route) => {
      const answer = (await (await route.fetch()).text())
        .replaceAll('"name":"Bitcoin"', () => `"name":${JSON.stringify(name)}`)
        .replaceAll(/"website":"[^"]*"/g, '"website":"javascript:document.title=1"')
      await route.fulfill({ body: answer, contentType: 'application/json' })
    })
    await page.goto(`${site}token/bitcoin.html`)
    await expect.poll(() => page.locator('h1').textContent()).toContain(name)
    expect(await page.locator('main img:not([src*="/logos/"]), a[href^="javascript"]').count()).toBe(0)
    expect(await page.title()).toContain(name)
    expect(faults).toEqual([])
  })

  const STRANGE_PLACES = [
    '?list=watchlist&watch=huge-price,unbroken-name&vs=jpy',
    '?list=watchlist&watch=huge-price,tiny-price,unbroken-name,no-figures,markup',
    'token/huge-price.html?vs=jpy',
    'token/unbroken-name.html',
    'token/right-to-left.html',
    'token/no-figures.html',
    '',
  ]
  it.runIf(isOurs).each(STRANGE_PLACES.slice(0, scaled(3, 7)))(
    'fits strange names and prices into /%s on a narrow phone',
    async (path) => {
      const { page, faults } = await look(path, { width: 320 })
      await page.locator('[data-live]').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const cut = page
        .locator('.listings :is(td, th):visible')
        .evaluateAll((cells) =>
          cells
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent),
        )
      expect(await cut).toEqual([])
      expect(faults).toEqual([])
    },
  )

  it('prints each listing with its name and seven figures between the margins of A4', async () => {
    const { page } = await look('', { width: 718 })
    await page.emulateMedia({ media: 'print' })
    const cells = await page
      .locator('.listings tbody tr')
      .first()
      .locator(':is(th, td):visible')
      .evaluateAll((shown) => shown.map(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth))
    expect(cells).toEqual(Array.from({ length: 8 }, () => 0))
  })

  it('suggests strange names as text, without a wider page', async () => {
    const { page, faults } = await look('status/', { width: 390 })
    for (const text of ['<img', 'WWWW', 'العملة', '</script']) {
      await page.getByLabel('Search').fill(text)
      await page.locator('.search li').filter({ hasText: text }).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    expect(await page.locator('.search img:not([src*="/logos/"])').count()).toBe(0)
    expect(faults).toEqual([])
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
      await page.locator('#theme').click()
      await page.goto(site)
      await page.locator('[data-live]').waitFor()
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
    await page.locator('#as-of time').waitFor()
    const button = page.locator('#theme')
    await button.click()
    await button.click()
    await page.reload()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })

  deepIt('begins the reference with a first request, and groups it as a reader looks for things', async () => {
    const { page } = await look('docs/')
    const headings = page.locator('#docs h2')
    await expect
      .poll(() => headings.allTextContents())
      .toEqual([
        'First price',
        'Dashboard',
        'Bot',
        'Wallet',
        'Back-test',
        'Tax report',
        'Elements for a page',
        'Lists',
        'One asset',
        'History',
        'Ecosystem',
        'Operations',
        'Every answer',
        'Errors',
        'Types',
      ])
    expect(await page.getByLabel('First price').textContent()).toContain(`curl '${site}text/bitcoin.txt'`)
    expect(await page.getByLabel('Elements for a page').textContent()).toContain('<quote-price slug="bitcoin">')
    await page.getByRole('button', { name: 'Copy the example for HTML' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('<quote-price slug="bitcoin">')
    const endpoint = page.locator('#prices')
    await endpoint.locator('summary').first().click()
    expect(await endpoint.textContent()).toContain('client.prices')
    await endpoint.getByRole('link', { name: '/api/mkt/prices/limit=10.json' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#prices')
    await page.getByLabel('Wallet').getByText('Python').click()
    await page.getByLabel('Find guides, endpoints and members').fill('confidence bot')
    expect(await page.locator('#docs section:visible').count()).toBe(1)
    expect(await page.getByLabel('Bot').locator('.sample:visible').textContent()).toContain('import json')
  })

  it('accepts a listing request where the host can, and shows errors beside the fields', async () => {
    const { page } = await look('list/')
    const send = page.getByRole('button', { name: 'Send request' })
    if (!isOurs) {
      await page.getByLabel('Name required').fill('Acme')
      await send.click()
      await page.getByText('This site is static and does not accept requests').waitFor()
      return
    }
    await page.getByLabel('Website').fill('http://plain.example')
    await send.click()
    await page.locator('[data-for="name"]').filter({ hasText: /./ }).waitFor()
    expect(await page.locator('[data-for="website"]').textContent()).not.toBe('')
    expect(await page.getByLabel('Website').getAttribute('aria-invalid')).toBe('true')

    await page.getByLabel('Name required').fill('Acme Coin')
    await page.getByLabel('Symbol required').fill('ACME')
    await page.getByLabel('Website').fill('https://acme.example')
    await page.getByLabel('Contracts', { exact: true }).fill('ethereum 0x00000000000000000000000000000000000000aa')
    await send.click()
    const id = (await page.locator('#request-id').textContent()) ?? ''
    expect(id).not.toBe('')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.locator('#lookup .badge').getByText('pending').waitFor()
    await page.locator('#queue').getByText(id).waitFor()
    await page.locator('#request').fill('no-such')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByText('There is no request with this id.').waitFor()
  })
})

const LISTED = /^\{"asset_id".*$/gm

it.runIf(IS_DEEP && CHROMIUM !== undefined)(
  'renders 10,000 listings block by block, each in a task of its own',
  async () => {
    const host = await fileHost(root)
    const seen = await watched(browser, `${host.url}/some/folder/`, { now: NOW })
    open.push(seen)
    const { page, faults } = seen
    try {
      await page.route('**/markets.json', async (route) => {
        const text = await (await route.fetch()).text()
        const rows = text.match(LISTED)?.map((row) => row.replace(/,$/, '')) ?? []
        const many = Array.from({ length: 10_000 }, (_, at) => rows[at % rows.length] ?? '')
        const [head = ''] = text.split('\n{"asset_id"')
        const all = head.replace(/"count":\d+/, `"count":${many.length}`)
        await route.fulfill({ body: `${all}\n${many.join(',\n')}\n]}`, contentType: 'application/json' })
      })
      await page.goto(`${host.url}/some/folder/`)
      const added = () =>
        page.evaluate(`new Promise((resolve) => {
        const sizes = []
        const table = document.querySelector('.listings table')
        const seen = new MutationObserver((records) => {
          sizes.push(records.flatMap(({ addedNodes }) => [...addedNodes]).filter(({ localName }) => localName === 'tr').length)
          if (table.tBodies.length < 400 || table.tBodies[399].rows.length === 0 || table.tBodies[399].hidden) return
          seen.disconnect()
          resolve(Math.max(...sizes))
        })
        seen.observe(table, { childList: true, subtree: true })
        if (table.tBodies.length === 400) document.querySelector('th.price button').click()
      })`)
      expect(await added()).toBeLessThanOrEqual(100)
      expect(await page.locator('.listings tbody tr').count()).toBe(10_000)
      expect(await added()).toBe(25)
      expect(faults).toEqual([])
    } finally {
      await host.close()
    }
  },
)

it.runIf(IS_DEEP && CHROMIUM !== undefined)('shows a new publication without a click', async () => {
  const own = newFolder()
  cpSync(root, own, { recursive: true, preserveTimestamps: true })
  const host = await fileHost(own)
  const site = `${host.url}/some/folder/`
  const seen = await watched(browser, site, { now: NOW })
  open.push(seen)
  try {
    await seen.page.clock.install({ time: NOW })
    await seen.page.goto(site)
    const price = seen.page.locator('.listings tbody .price').first()
    await expect.poll(() => price.textContent()).toMatch(/^\$/)
    await expect.poll(() => seen.page.locator('#as-of time').getAttribute('datetime')).toBe('2026-11-20T12:01:00Z')
    const before = await price.textContent()
    await sampleRun(own, { count: LISTINGS + 1, now: NOON + 30 * 60_000, history: NO_REQUESTS })
    await seen.page.clock.fastForward(61_000)
    await expect.poll(() => price.textContent()).not.toBe(before)
    expect(await seen.page.locator('#as-of time').getAttribute('datetime')).toBe('2026-11-20T12:30:00Z')
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
      // It opens while the API is away, and goes away again later.
      for (const gone of ['**/api/**', '**']) {
        await page.route(gone, (route) => route.abort())
        if (gone === '**/api/**') await page.goto(`${host.url}/some/folder/`)
        else await page.clock.fastForward(61_000)
        await expect.poll(() => notice.innerText()).toMatch(/^The site does not answer\. The page keeps its figures/)
        expect(await page.locator('.listings td.price').first().innerText()).toMatch(/^\$/)
        await page.unroute(gone)
        await page.clock.fastForward(61_000)
        await expect.poll(() => notice.count()).toBe(0)
        await page.locator('[data-live]').waitFor()
        await expect.poll(() => page.locator('#trouble').innerText()).toBe('')
      }
      expect(await page.locator('#as-of time').getAttribute('datetime')).toBe('2026-11-20T12:01:00Z')
    } finally {
      await host.close()
    }
  },
)

it.skipIf(CHROMIUM === undefined)(
  'shows the market and a token without JavaScript, and takes over with it',
  async () => {
    const host = await fileHost(root)
    const site = `${host.url}/some/folder/`
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    try {
      await page.goto(site)
      expect(await page.locator('.listings tbody tr').count()).toBe(100)
      await page.getByRole('table').getByRole('link', { name: 'Bitcoin', exact: true }).click()
      expect(page.url()).toBe(`${site}token/bitcoin.html`)
      expect(await page.locator('h1').textContent()).toBe('Bitcoin BTC')
      expect(await page.locator('.price-line .price').textContent()).toMatch(/^\$/)
      await page.goto(`${site}list/`)
      expect(await page.locator('main').innerText()).toContain('A request is sent as JSON')
      expect(await page.getByText('Loading…').isVisible()).toBe(false)
      const seen = await watched(browser, site, { now: NOW })
      open.push(seen)
      await seen.page.goto(`${site}token/bitcoin.html`)
      await seen.page.locator('.chart canvas').waitFor()
      expect(seen.faults).toEqual([])
    } finally {
      await context.close()
      await host.close()
    }
  },
)

describe.skipIf(CHROMIUM === undefined)('on a host of files that shows a page for what it does not have', () => {
  it('the path that rows name as the page of a token leads there', async () => {
    const page404 = notFound({ product: 'Quotetree', pages: PAGES }, 'https://quotes.example/some/folder/')
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
      const hit = seen.page.locator('.search').getByRole('link', { name: 'Ethereum ETH' })
      await expect.poll(() => hit.locator('img').getAttribute('src')).toMatch(/logos\/ethereum\.svg$/)
      await hit.click()
      await seen.page.waitForURL(`${site}token/ethereum.html`)
      expect(seen.faults.filter((fault) => !fault.includes('404'))).toEqual([])
    } finally {
      await host.close()
    }
  })
})
