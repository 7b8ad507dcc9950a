import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ping, post } from '../../src/delivery/webhook.ts'
import { run } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'

const AT = '2026-11-20T12:00:00Z'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** Starts a webhook on this machine, with a secret in its path. A status of null: it never answers. */
async function webhook(status: number | null = 204, headers: Record<string, string> = {}) {
  const bodies: string[] = []
  const state = { status }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      if (state.status !== null) response.writeHead(state.status, headers).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/hook/planted-secret`, bodies, state }
}

describe('a webhook', () => {
  it.each(['http://hooks.example.org/secret', 'ftp://hooks.example.org', 'no address'])(
    'is refused: %s',
    async (url) => {
      // The whole message: it has no part of the address.
      await expect(post(url, 'one', {})).rejects.toThrow(/^must be an address that begins with https:\/\/$/)
    },
  )

  it('gets one message, as Slack and Discord show it, that mentions no one', async () => {
    const { url, bodies } = await webhook()
    await post(url, 'one\n<!channel>', { problems: [1] })
    const shown = 'one\n‹!channel›'
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { text: shown, content: shown, allowed_mentions: { parse: [] }, problems: [1] },
    ])
  })

  it('gets the text alone where it is one of ntfy', async () => {
    const { url, bodies } = await webhook()
    await post(`ntfy+${url}`, 'one\ntwo', { problems: [] })
    expect(bodies).toEqual(['one\ntwo'])
  })

  it('gets a content as long as Discord takes', async () => {
    const { url, bodies } = await webhook()
    await post(url, 'a'.repeat(5000), {})
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ content: expect.stringMatching(/^a{1999}…$/) })
  })

  it.each([500, 404])('that answers %s is told of without its address', async (status) => {
    const { url } = await webhook(status)
    const failed = await post(url, 'a', {}).catch((error: unknown) => error)
    expect(String(failed)).toContain(`status ${status}`)
    expect(JSON.stringify(failed) + String(failed)).not.toContain('planted-secret')
  })

  it('that leads elsewhere is not followed', async () => {
    const other = await webhook()
    const { url } = await webhook(307, { location: other.url })
    await expect(post(url, 'a', {})).rejects.toThrow('status 307')
    expect(other.bodies).toEqual([])
  })

  it('that hangs or cannot be reached is told of without its address', async () => {
    const { url } = await webhook(null)
    const hung = post(url, 'a', {}, 50)
    await expect(hung).rejects.toThrow('could not be reached')
    const failed = await ping('http://127.0.0.1:1/planted-secret').catch((error: unknown) => error)
    expect(String(failed)).toContain('could not be reached')
    expect(failed).not.toHaveProperty('cause')
  })
})

describe('npm run notify', () => {
  function feed(report: object) {
    const root = newFolder()
    mkdirSync(join(root, 'api'))
    const index = { generatedAt: AT, staleAfter: '2026-11-20T13:30:00Z' }
    writeFileSync(join(root, 'api/mkt.json'), JSON.stringify(index))
    writeFileSync(join(root, 'report.json'), JSON.stringify(report))
    return { root, args: ['--tree', root, '--report', join(root, 'report.json')] }
  }

  it('pings after each run that is good, and says nothing', async () => {
    const [pings, health] = [await webhook(), await webhook()]
    const { args } = feed({ outcome: 'published' })
    const env = { PING_URL: pings.url, HEALTH_WEBHOOK: health.url, MKT_NOW: AT }
    expect(await run('notify', args, env)).toEqual({ code: 0, stdout: '0 problems.\n', stderr: '' })
    expect(await run('notify', args, env)).toMatchObject({ code: 0 })
    expect([pings.bodies.length, health.bodies.length]).toEqual([2, 0])
  })

  it('reports an overdue snapshot and a refused run once, pings nothing, and exits with 3 while they last', async () => {
    const [health, pings] = [await webhook(), await webhook()]
    const refusals = [{ rule: 'median_move', message: 'prices moved' }]
    const { args } = feed({ outcome: 'refused', refusals })
    const env = { HEALTH_WEBHOOK: health.url, PING_URL: pings.url, MKT_NOW: '2026-11-20T15:00:00Z' }
    expect(await run('notify', args, env)).toMatchObject({ code: 3, stderr: '' })
    expect(await run('notify', args, env)).toMatchObject({ code: 3 })
    expect(health.bodies.map((body) => JSON.parse(body))).toMatchObject([
      { problems: [{ key: 'refused:median_move' }, { key: 'overdue' }] },
    ])
    expect(pings.bodies).toEqual([])
  })

  it('says that a webhook fails, and sends the message once it answers again', async () => {
    const health = await webhook(500)
    const { args } = feed({ outcome: 'no_usable_source' })
    const env = { HEALTH_WEBHOOK: health.url, MKT_NOW: AT }
    expect(await run('notify', args, env)).toMatchObject({
      code: 1,
      stderr: 'HEALTH_WEBHOOK answered with status 500. The next run tries again.\n',
    })
    health.state.status = 204
    expect(await run('notify', args, env)).toMatchObject({ code: 3, stderr: '' })
    expect(await run('notify', args, env)).toMatchObject({ code: 3 })
    expect(health.bodies).toHaveLength(2)
  })

  it('judges a site, and refuses an address that is not https', async () => {
    const env = { HEALTH_WEBHOOK: 'http://hooks.example.org/planted-secret', MKT_NOW: AT }
    const { code, stdout, stderr } = await run('notify', ['--tree', newFolder(), '--site', 'http://127.0.0.1:1'], env)
    expect([code, stdout]).toMatchObject([1, expect.stringContaining('There is no snapshot that can be read.')])
    expect(stderr).toBe('HEALTH_WEBHOOK must be an address that begins with https://. The next run tries again.\n')
  })
})
