import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { packClient } from '../../scripts/packages.ts'
import { NOON, newFolder, copySampleTree } from '../sample-tree.ts'
import { type Host, fileHost, ownHost } from './hosts.ts'

/** Runs in a page: a client of some mirrors is asked twice. */
const ASK_TWICE = (mirrors: readonly string[]) => `(async () => {
  const { createClient, NotFoundError } = await import(new URL('client.js', document.baseURI))
  const client = createClient({ mirrors: ${JSON.stringify(mirrors)}, now: () => ${NOON} })
  const first = await client.trending({ limit: 10 })
  const second = await client.trending({ limit: 10 })
  const error = await client.asset('no-such-coin').catch((error) => error)
  return {
    rows: first.data.rows.length, stale: first.stale, mirror: first.mirror,
    same: first.data === second.data, missing: error instanceof NotFoundError,
  }
})()`

describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
  const root = newFolder()
  const open: { browser?: Browser; files?: Host; own?: Awaited<ReturnType<typeof ownHost>> } = {}
  const ask = async (page: string, mirrors: readonly string[]): Promise<unknown> => {
    const tab = await open.browser?.newPage()
    await tab?.goto(page)
    const told: unknown = await tab?.evaluate(ASK_TWICE(mirrors))
    await tab?.close()
    return told
  }
  const told = (mirror: string) => ({ rows: 10, stale: false, mirror, same: true, missing: true })
  /** What the host of files was asked since this was called last. */
  const news = () => open.files?.log.splice(0).filter((line) => line.includes('trending')) ?? []

  beforeAll(async () => {
    await copySampleTree(root)
    const packed = newFolder()
    const { filename } = await packClient(packed)
    execFileSync('tar', ['-xzf', join(packed, filename), '-C', root, '--strip-components', '1', 'package/client.js'])
    writeFileSync(join(root, 'page.html'), '<!doctype html><title>A page</title>')
    open.files = await fileHost(root)
    open.own = await ownHost(root, NOON)
    open.browser = await openChromium()
  })
  afterAll(() => Promise.all([open.browser?.close(), open.files?.close(), open.own?.close()]))

  it('reads from the server that the page is from', async () => {
    const url = open.own?.url ?? ''
    expect(await ask(`${url}/page.html`, ['/'])).toEqual(told(url))
  })

  it('reads from a folder beside the page, and asks again only for what changed', async () => {
    const folder = `${open.files?.url}/some/folder`
    expect(await ask(`${folder}/page.html`, ['.'])).toEqual(told(folder))
    expect(news().map((line) => line.slice(0, 7))).toEqual(['GET 200', 'GET 304'])
  })

  it('reads from a host of files elsewhere, which gives no leave for headers, past one that is away', async () => {
    const folder = `${open.files?.url}/some/folder`
    expect(await ask(`${open.own?.url}/page.html`, ['http://127.0.0.1:1', folder])).toEqual(told(folder))
    // Whether the second is asked for at all is for the browser's own cache to say.
    expect(news().filter((line) => !line.startsWith('GET '))).toEqual([])
  })

  it('reads from our server elsewhere', async () => {
    const url = open.own?.url ?? ''
    expect(await ask(`${open.files?.url}/some/folder/page.html`, [url])).toEqual(told(url))
  })
})
