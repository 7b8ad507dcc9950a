import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { resolve } from '../../src/service/resolve.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { IndexMembers } from '../../src/core/contract/api-index.ts'
import { newFolder } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { addressOf, ended, printedLine, run, start } from './commands.ts'

/** Where `npm start` builds its sample, which everything here reads. */
const folder = newFolder()
const root = join(folder, 'dist')
let index: unknown
let server: ChildProcess
let url: string

/** Listings of the publisher's settings in the short suite, where a whole sample takes a tenth of all time. */
const LISTINGS = scaled(40, null)

beforeAll(async () => {
  if (LISTINGS !== null)
    writeFileSync(join(folder, 'quotetree.config.ts'), `export default { listings: ${LISTINGS} }\n`)
  const first = start('start', [], { PORT: '0' }, folder)
  const past = printedLine(first, 'The prices of the past year are published')
  index = await (await fetch(`${await addressOf(first)}/api/mkt`)).json()
  await past
  first.kill()
  await ended(first)
  server = start('serve', ['--tree', root, '--queue', newFolder()], { PORT: '0' })
  url = await addressOf(server)
})
afterAll(() => {
  server.kill()
})

const get = async (path: string): Promise<unknown> => (await fetch(url + path)).json()

describe('npm run serve', () => {
  it('answers every listing, more than 1,000 without settings, and any limit exactly', async () => {
    const answer = await get('/api/mkt/assets?limit=7')
    expect(answer).toMatchObject({ ok: true, count: 7 })
    expect(z.object({ total: z.number() }).parse(answer).total).toBeGreaterThan(LISTINGS ?? 1000)
    expect(await get('/api/mkt/assets?limit=37')).toMatchObject({ count: 37 })
  })

  it('answers the example of every endpoint that the index lists', async () => {
    const { endpoints } = z.object({ endpoints: IndexMembers.endpoints }).parse(await get('/api/mkt'))
    expect(endpoints.map(({ endpoint, method }) => `${method} ${endpoint}`).toSorted()).toEqual(
      specs.map(({ name, method }) => `${method} ${name}`).toSorted(),
    )
    for (const { method, example } of endpoints) {
      if (method !== 'GET') continue
      // Where no value is on every tree, the example is a request of another endpoint.
      const found = resolve(specs, 'GET', new URL(example, 'http://host'))
      const endpoint = found.kind === 'document' ? found.spec.name : null
      expect(await get(example), example).toMatchObject({ ok: true, endpoint })
    }
  })

  it('takes a listing request and shows it waiting', async () => {
    const response = await fetch(`${url}/api/mkt/listing-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'New Coin', symbol: 'NEW', website: 'https://new.example' }),
    })
    expect([response.status, await response.json()]).toMatchObject([202, { request: { status: 'pending' } }])
    expect(await get('/api/mkt/listing-requests')).toMatchObject({ counts: { pending: 1 } })
  })

  it('says what to do when its port is taken, and makes no queue', async () => {
    const { port } = new URL(url)
    const queue = join(newFolder(), 'queue')
    const { code, stderr } = await run('serve', ['--tree', root, '--queue', queue], { PORT: port })
    expect([code, stderr]).toMatchObject([2, expect.stringContaining(`Port ${port} on 127.0.0.1 is already in use`)])
    expect(existsSync(queue)).toBe(false)
  })

  it('explains what PORT may be', async () => {
    const { code, stderr } = await run('serve', ['--tree', root], { PORT: 'abc' })
    expect([code, stderr]).toEqual([2, 'The environment variable PORT takes a port: a whole number from 0 to 65535.\n'])
  })

  it('says what to do when there is no tree', async () => {
    const { code, stderr } = await run('serve', ['--tree', newFolder()])
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('npm run snapshot')])
  })

  it('exits with 0 on SIGTERM', async () => {
    const other = start('serve', ['--tree', root], { PORT: '0' })
    await addressOf(other)
    other.kill('SIGTERM')
    expect((await ended(other)).code).toBe(0)
  })
})

describe('npm start', () => {
  it('builds the sample where nothing is, and serves it', () => {
    expect(index).toMatchObject({ ok: true, label: expect.stringContaining('sample') })
  })

  it('takes its port before it builds, and says what it is doing', async () => {
    const empty = newFolder()
    writeFileSync(join(empty, 'quotetree.config.ts'), 'export default { listings: 40 }\n')
    const taken = createServer()
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const PORT = String(z.object({ port: z.number() }).parse(taken.address()).port)
    const refused = await ended(start('start', [], { PORT }, empty))
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`Port ${PORT} on 127.0.0.1 is already in use.`)
    expect(existsSync(join(empty, 'dist'))).toBe(false)
    taken.close()
    await once(taken, 'close')

    const first = start('start', [], { PORT }, empty)
    const address = addressOf(first)
    const said = () => fetch(`http://127.0.0.1:${PORT}/healthz`).then((response) => response.text(), String)
    await expect.poll(said).toContain('"status":"building"')
    await address
    expect((await fetch(`http://127.0.0.1:${PORT}/api/mkt`)).status).toBe(200)
    first.kill()
    await ended(first)
  })

  it('ends what builds the sample when it is ended', async () => {
    const empty = newFolder()
    const first = start('start', [], { PORT: '0' }, empty)
    await printedLine(first, 'Asking')
    const builder = Number(execFileSync('pgrep', ['-P', String(first.pid)], { encoding: 'utf8' }))
    first.kill('SIGTERM')
    expect((await ended(first)).code).not.toBe(0)
    expect(() => process.kill(builder, 0)).toThrow('ESRCH')
  })

  it('serves the existing tree the next time', async () => {
    const second = start('start', [], { PORT: '0' }, folder)
    const printed = ended(second)
    await addressOf(second)
    second.kill()
    expect((await printed).stdout).not.toContain('Building')
  })
})
