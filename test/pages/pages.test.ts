import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { sitePages } from '../../scripts/pages.ts'
import type { Attachment } from '../../src/endpoints/attachment.ts'
import { PAGES } from '../../src/pages/pages.ts'

/** Linked by every page, and written by others than this. */
const BESIDE = ['openapi.json', 'api/mkt.json', 'api/mkt/markets.csv', 'tokenlist.json', 'feed.xml', 'llms.txt']

let files: ReadonlyMap<string, string>
const textOf = (pages: readonly Attachment[]) => new Map(pages.map(({ path, text }) => [path, text]))
beforeAll(async () => {
  files = textOf(await sitePages())
})

it('are the same each time they are made', async () => expect(textOf(await sitePages())).toEqual(files))

describe.each(PAGES.map((page) => [page.path, page] as const))('%s', (path, { program }) => {
  const html = () => files.get(path) ?? ''
  const addresses = () => [...html().matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address = '']) => address)

  it('is under 100 KB over the wire with its program and style', () => {
    const parts = [html(), files.get(`ui/${program}.js`), files.get('ui/theme.js'), files.get('ui/style.css')]
    const bytes = parts.map((part) => gzipSync(part ?? '').byteLength).reduce((sum, size) => sum + size, 0)
    expect(parts.every(Boolean)).toBe(true)
    expect(bytes).toBeLessThan(100_000)
  })

  it('names nothing of another host, and nothing that is not there', () => {
    for (const address of addresses()) {
      expect(address).toMatch(/^\.\.?\//)
      const { pathname } = new URL(address, `https://host.example/below/${path}`)
      const file = pathname.replace(/^\/below\//, '').replace(/(^|\/)$/, '$1index.html')
      expect(files.has(file) || BESIDE.includes(file), address).toBe(true)
    }
    expect(addresses().length).toBeGreaterThan(10)
  })

  it('runs nothing that stands in it, and takes no style from it', () => {
    expect(html()).not.toMatch(/<script(?![^>]* src=)|<style|\son[a-z]+=|\sstyle=|javascript:/)
    expect(html()).toContain(`script-src 'self'; style-src 'self'`)
  })
})
