import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Alert } from '../../src/contract/alerts.ts'
import { firedAt, postAlerts, webhookOf } from '../../src/delivery/webhook.ts'
import { run } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'

const AT = '2026-11-20T12:00:00Z'
const alertAt = (at: string, slug: string): Alert => ({
  at,
  slug,
  name: slug,
  kind: 'above',
  limit: 1,
  price_usd: 2,
  percent_change_24h: null,
  text: `${slug} is above $1: its price is $2`,
})
const fileOf = (...rows: readonly Alert[]) => JSON.stringify({ rules: [], rows })
const send = (url: string, ...alerts: readonly Alert[]) =>
  postAlerts(webhookOf(url), alerts, { ask: fetch, timeoutMs: 5000 })

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** Starts a webhook on this machine, with a secret in its path. */
async function webhook(status = 204, headers: Record<string, string> = {}) {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(JSON.parse(body))
      response.writeHead(status, headers).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  open.push(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/hook/planted-secret`, bodies }
}

describe('the alerts of a run', () => {
  it('are those that fired in it, and none of an earlier one', () => {
    const text = fileOf(alertAt(AT, 'bitcoin'), alertAt('2026-11-20T11:30:00Z', 'ethereum'))
    expect(firedAt(text, AT).map(({ slug }) => slug)).toEqual(['bitcoin'])
  })

  it.each([null, 'no JSON', '{}'])('are none where alerts.json is %s', (text) => expect(firedAt(text, AT)).toEqual([]))
})

describe('a webhook', () => {
  it.each(['http://hooks.example.org/secret', 'ftp://hooks.example.org', 'no address'])('is refused: %s', (url) => {
    expect(() => webhookOf(url)).toThrow('must begin with https://')
    expect(() => webhookOf(url)).not.toThrow(url)
  })

  it('gets one message with all alerts, as Slack and Discord show it', async () => {
    const { url, bodies } = await webhook()
    const alerts = [alertAt(AT, 'bitcoin'), alertAt(AT, 'ethereum')]
    await send(url, ...alerts)
    const lines = 'bitcoin is above $1: its price is $2\nethereum is above $1: its price is $2'
    expect(bodies).toEqual([{ text: lines, content: lines, alerts }])
  })

  it('gets a content as long as Discord takes', async () => {
    const { url, bodies } = await webhook()
    await send(url, ...Array.from({ length: 100 }, (_, at) => alertAt(AT, `token-${at}`)))
    expect(bodies).toEqual([expect.objectContaining({ content: expect.stringMatching(/^[^]{1999}…$/) })])
  })

  it.each([500, 404])('that answers %s is told of without its address', async (status) => {
    const { url } = await webhook(status)
    const failed = await send(url, alertAt(AT, 'bitcoin')).catch((error: unknown) => error)
    expect(String(failed)).toContain(`status ${status}`)
    expect(JSON.stringify(failed) + String(failed)).not.toContain('planted-secret')
  })

  it('that leads elsewhere is not followed', async () => {
    const other = await webhook()
    const { url } = await webhook(307, { location: other.url })
    await expect(send(url, alertAt(AT, 'bitcoin'))).rejects.toThrow('status 307')
    expect(other.bodies).toEqual([])
  })

  it('that cannot be reached is told of without its address', async () => {
    const failed = await send('http://127.0.0.1:1/planted-secret', alertAt(AT, 'bitcoin')).catch(
      (error: unknown) => error,
    )
    expect(String(failed)).toContain('could not be reached')
    expect(failed).not.toHaveProperty('cause')
  })
})

it('the command sends the new alerts of a tree, and prints no address', async () => {
  const { url, bodies } = await webhook()
  const root = newFolder()
  mkdirSync(join(root, 'api'))
  writeFileSync(join(root, 'api/mkt.json'), JSON.stringify({ generatedAt: AT }))
  writeFileSync(join(root, 'alerts.json'), fileOf(alertAt(AT, 'bitcoin'), alertAt('2026-11-19T12:00:00Z', 'ethereum')))
  expect(await run('alerts', ['--tree', root], { ALERTS_WEBHOOK: url })).toEqual({
    code: 0,
    stdout: '1 new alert sent.\n',
    stderr: '',
  })
  expect(bodies).toEqual([expect.objectContaining({ text: 'bitcoin is above $1: its price is $2' })])
  const refused = await run('alerts', ['--tree', root], { ALERTS_WEBHOOK: 'http://hooks.example.org/planted-secret' })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toBe('The address of the webhook must begin with https://. No alert was sent.\n')
})
