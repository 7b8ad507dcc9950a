import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { sitePages } from '../../scripts/pages.ts'
import { parseHTML } from 'linkedom'
import type { Attachment, Attachments } from '../../src/core/endpoints/endpoint.ts'
import { PAGES } from '../../src/pages/pages.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { BUILT_IN, FEW_REQUESTS, NOON, SITE, newFolder, sampleRun } from '../sample-tree.ts'
import { STRANGE_SLUGS, withStrange } from './strange-listings.ts'

const tree = newFolder()
let files: ReadonlyMap<string, string>
let again: ReadonlyMap<string, string>
let troubled: ReadonlyMap<string, string>
const textOf = (pages: Iterable<Attachment>) => new Map([...pages].map(({ path, text }) => [path, text]))
beforeAll(async () => {
  const pages = await sitePages()
  const built: Attachments = (world, written) => {
    files = textOf(pages(world, written))
    again = textOf(pages(world, written))
    const error = { code: 'source_timeout', message: 'https://api.venue.example/v1?key=1 gave no answer' } as const
    const sources = world.sources.map((row, at) => (at < 8 ? { ...row, status: 'down' as const, error } : row))
    troubled = textOf(pages({ ...world, sources }, written))
    return []
  }
  await sampleRun(tree, {
    count: 30,
    sources: withStrange(sampleSources(NOON, 30), NOON),
    history: FEW_REQUESTS,
    site: { ...SITE, address: 'https://quotes.example/', pages: true },
    composition: { ...BUILT_IN, attachments: [...BUILT_IN.attachments, built] },
  })
})

it('are the same each time they are built', () => expect(again).toEqual(files))

const page = (path: string) => parseHTML(files.get(path) ?? '').document

describe('the documents', () => {
  it('show the listings by rank without a script, each with a link to its page', () => {
    const rows = [...page('index.html').querySelectorAll('#market tbody tr')]
    expect(rows.map((row) => row.querySelector('.rank')?.textContent).slice(0, 3)).toEqual(['1', '2', '3'])
    expect(rows[0]?.querySelector('.price')?.textContent).toMatch(/^\$[\d,.]+$/)
    expect(rows[0]?.querySelector('a')?.getAttribute('href')).toBe('./token/bitcoin.html')
    expect(rows.length).toBeGreaterThanOrEqual(30)
    expect(page('index.html').querySelector('.totals')?.textContent).toMatch(/^Market cap\$/)
    expect(page('index.html').querySelector('[aria-sort=ascending]')?.textContent).toBe('#')
  })

  it('have a page for each of the first listings, with title, figures, markets and its address', () => {
    const bitcoin = page('token/bitcoin.html')
    expect(bitcoin.title).toBe('Bitcoin (BTC): price, markets and API · Quotetree')
    expect(bitcoin.querySelector('link[rel=canonical]')?.getAttribute('href')).toBe(
      'https://quotes.example/token/bitcoin.html',
    )
    expect(bitcoin.querySelector('meta[property="og:title"]')?.getAttribute('content')).toContain('Bitcoin')
    expect(bitcoin.querySelector('.ledger')?.textContent).toMatch(/Market cap\$/)
    expect(bitcoin.querySelectorAll('#page tbody tr').length).toBeGreaterThan(5)
  })

  it.each([
    ['index.html', '(min-width: 641px)'],
    ['token/bitcoin.html', 'all'],
    ['method/index.html', 'all'],
  ])('%s is painted as a whole where a part that comes later would move others', (path, screens) =>
    expect(page(path).querySelector('[rel=expect]')?.getAttribute('media')).toBe(screens),
  )

  it.each([
    ['categories/index.html', '#page tbody tr', 'Stablecoin'],
    ['exchanges/index.html', '#page tbody tr', 'sample exchange A'],
    ['ecosystem/index.html', '[aria-label="Assets of the ecosystem"] tr', 'TNK'],
    ['ecosystem/index.html', '[aria-label="DEX pairs"] tr', '/USDC'],
    ['status/index.html', '#overview dd', '10 of 10 answer'],
    ['status/index.html', '[aria-label=Sources] tr', 'sample exchange A'],
    ['method/index.html', 'ol .rule', 'Identity'],
    ['method/index.html', 'ol .example', 'Five venues say'],
    ['token/bitcoin.html', '.api pre', 'api/mkt/assets/bitcoin.json'],
    ['token/bitcoin.html', '.api .output', '"slug": "bitcoin"'],
    ['exchanges/sample-a.html', 'h1', 'sample exchange A'],
    ['exchanges/sample-a.html', 'tbody tr', 'BTC/'],
    ['exchanges/sample-a.html', '.figures div', 'Used in prices'],
    ['categories/stablecoin.html', '.figures div', 'Market cap$'],
    ['categories/stablecoin.html', 'tbody tr', 'Tether'],
    ['docs/index.html', '.doc h3', '/api/mkt/history/{slug}'],
    ['docs/index.html', '#history dt', 'days'],
    ['docs/index.html', '#history pre', 'urllib'],
    ['docs/index.html', '#history a', '404'],
  ])('%s shows %s without a script', (path, sign, text) => {
    const shown = [...page(path).querySelectorAll(sign)].map(({ textContent }) => textContent)
    expect(shown.filter((content) => content.includes(text))).not.toEqual([])
    expect(page(path).querySelector('.loading')).toBeNull()
  })

  it('lead to no part of the reference that is not there', () => {
    const docs = page('docs/index.html')
    const ids = [...docs.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute('href')?.slice(1) ?? '')
    expect(ids.filter((id) => docs.querySelector(`[id="${id}"]`) === null)).toEqual([])
  })

  it('say on the first page what the site is, with a command and its answer, four totals and the movers', () => {
    const home = page('index.html')
    expect(home.querySelector('h1')?.textContent).toBe('Crypto prices, with a free API behind every number.')
    expect(home.querySelector('.curl code')?.textContent).toBe('curl https://quotes.example/text/bitcoin.txt')
    expect(home.querySelector('.curl a')?.getAttribute('href')).toBe('./text/bitcoin.txt')
    expect(home.querySelectorAll('.total')).toHaveLength(4)
    const names = [...home.querySelectorAll('.movers h2')].map(({ textContent }) => textContent)
    expect(names).toEqual(['Top gainers 24h', 'Top losers 24h'])
  })

  it('draw each line of a week in the direction of its change', () => {
    const rows = [...page('index.html').querySelectorAll('#market tbody tr')]
    const directions = rows.flatMap((row) => {
      const [first = '', ...others] = [
        ...(row.querySelector('.spark path')?.getAttribute('d') ?? '').matchAll(/ ([\d.]+)/g),
      ].map(([, height = '']) => height)
      const change = Number(row.querySelector('.week data')?.getAttribute('value'))
      return others.length === 0 || Math.abs(change) < 1 ? [] : [[change > 0, Number(others.at(-1)) < Number(first)]]
    })
    expect(directions.length).toBeGreaterThan(10)
    expect(directions.filter(([rose, rises]) => rose !== rises)).toEqual([])
  })

  it('say on every page that most sources are down, and name no address of a source', () => {
    const status = parseHTML(troubled.get('status/index.html') ?? '').document
    expect(status.querySelector('#banner')?.textContent).toContain('Only 2 of 10 sources answered in the last run.')
    expect(page('status/index.html').querySelector('#banner')?.textContent).not.toContain('sources answered')
    expect(status.querySelector('[aria-label=Sources]')?.textContent).toContain('Source timeout')
    expect(status.querySelector('main')?.textContent).not.toContain('venue.example')
  })

  it('show logos of their own, and letters where there is none', () => {
    expect(JSON.parse(files.get('ui/site.json') ?? '')).toMatchObject({
      logos: expect.arrayContaining(['bitcoin']),
      pages: expect.arrayContaining(['bitcoin']),
      sources: { sample: 'sample' },
    })
    expect(files.get('logos/bitcoin.svg')).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    const discs = [...page('index.html').querySelectorAll('#market .disc')]
    expect(discs[0]?.querySelector('img')?.getAttribute('src')).toBe('./logos/bitcoin.svg')
    expect(discs.filter((disc) => disc.querySelector('img') === null && disc.textContent === '')).toEqual([])
    expect(page('token/bitcoin.html').querySelector('.disc img')?.getAttribute('src')).toBe('../logos/bitcoin.svg')
  })

  it('say in times when something was, not how long ago', () => {
    const times = [...page('token/bitcoin.html').querySelectorAll('time')].map(({ textContent }) => textContent)
    expect(times.length).toBeGreaterThan(3)
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  })

  it.each(STRANGE_SLUGS)('of the strange listing %s have its name as text, in the head, too', (slug) => {
    const { asset } = JSON.parse(readFileSync(join(tree, `api/mkt/assets/${slug}.json`), 'utf8'))
    const document = page(`token/${slug}.html`)
    expect(document.title).toContain(`${asset.name} (${asset.symbol}): price`)
    expect(document.querySelector('meta[property="og:title"]')?.getAttribute('content')).toContain(asset.name)
    expect(document.querySelector('h1')?.textContent).toBe(`${asset.name} ${asset.symbol}`)
    expect(document.querySelector('.price-line')?.textContent ?? '').not.toMatch(/null|NaN|undefined|e-\d/)
    const foreign = ':is(script:not([src^="../ui/"]), img:not([src^="../logos/"]), base, iframe, [onerror])'
    expect(document.querySelectorAll(foreign).length).toBe(0)
  })

  it('are listed for crawlers', () => {
    expect(files.get('robots.txt')).toContain('Sitemap: https://quotes.example/sitemap.xml')
    expect(files.get('sitemap.xml')).toContain('<loc>https://quotes.example/token/bitcoin.html</loc>')
    expect(files.get('sitemap.xml')).toContain('<loc>https://quotes.example/</loc>')
  })
})

describe.each(PAGES.map((page) => [page.path, page] as const))('%s', (path, { program }) => {
  const html = () => files.get(path) ?? ''
  // Links to other sites load nothing, and hand on no referrer.
  const own = () => html().replaceAll(/<a [^>]*rel="noopener noreferrer nofollow"[^>]*>/g, '')
  const addresses = () => [...own().matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)].map(([, address = '']) => address)

  it('loads at most 20 KB of scripts before it is shown, and 60 KB in all', () => {
    const scripts = new Set<string>()
    const add = (name: string) => {
      if (scripts.has(name)) return
      scripts.add(name)
      const text = files.get(`ui/${name}`) ?? ''
      for (const [, next = ''] of text.matchAll(/(?:from|import)"\.\/(chunk-\w+\.js)"/g)) add(next)
    }
    add(`${program}.js`)
    const sizeOf = (texts: readonly (string | undefined)[]) =>
      texts.map((text) => gzipSync(text ?? '').byteLength).reduce((sum, size) => sum + size, 0)
    const programs = [...scripts].map((name) => files.get(`ui/${name}`))
    expect(programs.every(Boolean)).toBe(true)
    expect(sizeOf(programs)).toBeLessThanOrEqual(20 * 1024)
    expect(sizeOf([...programs, html(), files.get('ui/theme.js'), files.get('ui/style.css')])).toBeLessThan(60_000)
  })

  it('refers to no other host and to no missing file', () => {
    for (const address of addresses()) {
      if (/^(https:\/\/quotes\.example\/|data:image\/svg\+xml,)/.test(address)) continue
      expect(address).toMatch(/^\.\.?\//)
      const { pathname } = new URL(address, `https://host.example/below/${path}`)
      const file = pathname.replace(/^\/below\//, '').replace(/(^|\/)$/, '$1index.html')
      expect(files.has(file) || existsSync(join(tree, file)), address).toBe(true)
    }
    expect(addresses().length).toBeGreaterThan(10)
  })

  it('has no inline script and no inline style', () => {
    const inline = [...page(path).querySelectorAll('*')].filter(
      (element) =>
        element.matches('style, script:not([src])') ||
        [...element.attributes].some(({ name, value }) => /^(on|style)/.test(name) || value.startsWith('javascript:')),
    )
    expect(inline).toEqual([])
    expect(html()).toContain(`script-src 'self'; style-src 'self'`)
  })
})
