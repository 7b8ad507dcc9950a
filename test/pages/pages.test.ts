import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { sitePages } from '../../scripts/pages.ts'
import { parseHTML } from 'linkedom'
import type { Attachment } from '../../src/endpoints/attachment.ts'
import { PAGES } from '../../src/pages/pages.ts'
import { newFolder, sampleRun } from '../sample-tree.ts'

/** Linked by every page, and written by others than this. */
const BESIDE = ['openapi.json', 'api/mkt.json', 'api/mkt/markets.csv', 'tokenlist.json', 'feed.xml', 'llms.txt']

let files: ReadonlyMap<string, string>
let again: ReadonlyMap<string, string>
const textOf = (pages: Iterable<Attachment>) => new Map([...pages].map(({ path, text }) => [path, text]))
beforeAll(async () => {
  const pages = await sitePages('https://quotes.example/')
  await sampleRun(newFolder(), {
    count: 30,
    pages(world, written) {
      files = textOf(pages(world, written))
      again = textOf(pages(world, written))
      return []
    },
  })
})

it('are the same each time they are built', () => expect(again).toEqual(files))

describe('the documents', () => {
  const page = (path: string) => {
    const { document } = parseHTML(files.get(path) ?? '')
    return document
  }

  it('show the listings by rank without a script, each with a link to its page', () => {
    const rows = [...page('index.html').querySelectorAll('.rows .row')]
    expect(rows.map((row) => row.querySelector('.rank')?.textContent).slice(0, 3)).toEqual(['1', '2', '3'])
    expect(rows[0]?.querySelector('.price')?.textContent).toMatch(/^\$[\d,.]+$/)
    expect(rows[0]?.querySelector('a')?.getAttribute('href')).toBe('./token/bitcoin.html')
    expect(rows.length).toBeGreaterThanOrEqual(30)
    expect(page('index.html').querySelector('#summary')?.textContent).toMatch(/^Market cap \$/)
  })

  it('have a page for each of the first listings, with title, figures, markets and its address', () => {
    const bitcoin = page('token/bitcoin.html')
    expect(bitcoin.title).toBe('Bitcoin (BTC): price, markets and history · Quotetree')
    expect(bitcoin.querySelector('link[rel=canonical]')?.getAttribute('href')).toBe(
      'https://quotes.example/token/bitcoin.html',
    )
    expect(bitcoin.querySelector('meta[property="og:title"]')?.getAttribute('content')).toContain('Bitcoin')
    expect(bitcoin.querySelector('.figures')?.textContent).toMatch(/Market cap\$/)
    expect(bitcoin.querySelectorAll('#token tbody tr').length).toBeGreaterThan(5)
  })

  it('say in times when something was, not how long ago', () => {
    const times = [...page('token/bitcoin.html').querySelectorAll('time')].map(({ textContent }) => textContent)
    expect(times.length).toBeGreaterThan(3)
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  })

  it('are listed for crawlers', () => {
    expect(files.get('robots.txt')).toContain('Sitemap: https://quotes.example/sitemap.xml')
    expect(files.get('sitemap.xml')).toContain('<loc>https://quotes.example/token/bitcoin.html</loc>')
    expect(files.get('sitemap.xml')).toContain('<loc>https://quotes.example/</loc>')
  })
})

describe.each(PAGES.map((page) => [page.path, page] as const))('%s', (path, { program }) => {
  const html = () => files.get(path) ?? ''
  const addresses = () => [...html().matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address = '']) => address)

  it('is under 100 KB over the wire with its program and style', () => {
    const parts = [html(), files.get(`ui/${program}.js`), files.get('ui/theme.js'), files.get('ui/style.css')]
    const bytes = parts.map((part) => gzipSync(part ?? '').byteLength).reduce((sum, size) => sum + size, 0)
    expect(parts.every(Boolean)).toBe(true)
    expect(bytes).toBeLessThan(100_000)
  })

  it('refers to no other host and to no missing file', () => {
    for (const address of addresses()) {
      if (address.startsWith('https://quotes.example/')) continue
      expect(address).toMatch(/^\.\.?\//)
      const { pathname } = new URL(address, `https://host.example/below/${path}`)
      const file = pathname.replace(/^\/below\//, '').replace(/(^|\/)$/, '$1index.html')
      expect(files.has(file) || BESIDE.includes(file), address).toBe(true)
    }
    expect(addresses().length).toBeGreaterThan(10)
  })

  it('has no inline script and no inline style', () => {
    expect(html()).not.toMatch(/<script(?![^>]* src=)|<style|\son[a-z]+=|\sstyle=|javascript:/)
    expect(html()).toContain(`script-src 'self'; style-src 'self'`)
  })
})
