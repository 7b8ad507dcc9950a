import type { ChildProcess } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { RequestRecord } from '../../src/requests/queue.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'
import { CHROMIUM, openChromium } from '../chromium.ts'
import { addressOf, start } from './commands.ts'

const PATH = '/api/mkt/listing-requests'
const tree = newFolder()
const servers: ChildProcess[] = []

beforeAll(async () => {
  await copySampleTree(tree)
})
afterAll(() => {
  for (const server of servers) server.kill('SIGKILL')
})

async function serveWith(queue: string): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const server = start('serve', ['--tree', tree, '--queue', queue], { PORT: '0', PROXIES: '1' })
  servers.push(server)
  return { server, url: await addressOf(server) }
}

it.skipIf(CHROMIUM === undefined)(
  'takes a request from a page on another origin, and lets it read the answer',
  async () => {
    const { url } = await serveWith(newFolder())
    const other = createServer((_, response) => response.end('<!doctype html><title>Another site</title>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : 0
    const browser = await openChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/`)
      const sent = await page.evaluate(async (to) => {
        const response = await fetch(to, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'New Coin', symbol: 'NEW', website: 'https://new.example' }),
        })
        const body: unknown = await response.json()
        return { status: response.status, location: response.headers.get('Location'), body }
      }, url + PATH)
      expect(sent).toMatchObject({ status: 202, location: expect.stringContaining(PATH), body: { ok: true } })
      const refused = await page.evaluate(async (to) => {
        const headers = { 'Content-Type': 'application/json' }
        const response = await fetch(to, { method: 'POST', headers, body: '{"name":""}' })
        const body: unknown = await response.json()
        return { status: response.status, body }
      }, url + PATH)
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'invalid_request' } } })
    } finally {
      await browser.close()
      other.close()
    }
  },
)

it('keeps every request that it took of 200 sent to four servers at once, one of which is killed', async () => {
  const queue = newFolder()
  const four = await Promise.all(Array.from({ length: 4 }, () => serveWith(queue)))
  const taken: string[] = []
  let lost = 0
  const post = async (number: number): Promise<void> => {
    const { url } = four[number % 4] ?? { url: '' }
    const sent = await fetch(url + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${number}.1` },
      body: JSON.stringify({ name: `Coin ${number}`, symbol: `C${number}`, website: 'https://new.example' }),
    }).catch(() => null)
    if (sent === null) {
      lost++
      return
    }
    expect(sent.status).toBe(202)
    const Answer = z.object({ request: z.object({ request_id: z.string() }) })
    taken.push(Answer.parse(await sent.json().catch(() => null)).request.request_id)
    // In the middle of all, as a power cut would.
    if (taken.length === 60) four[1]?.server.kill('SIGKILL')
  }
  await Promise.all(Array.from({ length: 200 }, (_, number) => post(number)))

  const files = readdirSync(queue).filter((name) => name.endsWith('.json'))
  const kept = files.map((name) => RequestRecord.parse(JSON.parse(readFileSync(join(queue, name), 'utf8'))).request_id)
  expect(taken.filter((id) => !kept.includes(id))).toEqual([])
  expect(taken.length + lost).toBe(200)
  expect(taken.length).toBeGreaterThanOrEqual(150)
  expect(readdirSync(queue).filter((name) => name.endsWith('.damaged'))).toEqual([])
})
