import { expect, it } from 'vitest'
import * as z from 'zod'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { type KeptBodies, RETRY_HOURS, STAND_IN_DAYS, withSlowLists } from '../../src/core/sources/slow-lists.ts'
import { replies } from './replies.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 20, 12)
const Pairs = z.object({ symbols: z.array(z.unknown()) })
const slow = [{ path: '/pairs', hours: 24, members: ['symbols', 'symbol', 'status'] }]

/** A host that counts its answers, by path. */
function host(bodies: Record<string, unknown>) {
  const asked: string[] = []
  const kept: KeptBodies = new Map()
  const connection = {
    stats: { requests: 0, retries: 0, bytes: 0 },
    close: async () => {},
    json<Body extends z.ZodType>(path: string, schema: Body) {
      asked.push(path)
      return replies(bodies).json(path, schema)
    },
  }
  return { asked, kept, at: (now: number) => withSlowLists(connection, { id: 'acme', slow }, kept, now) }
}

const body = { symbols: [{ symbol: 'A', status: 'TRADING', filters: ['much'] }, 'no row'] }

it('is requested once while it is fresh, and kept without what is not read', async () => {
  const { asked, kept, at } = host({ '/pairs': body, '/tickers': [] })
  await at(NOON).json('/pairs', Pairs)
  await at(NOON + 23 * HOUR).json('/pairs', Pairs)
  await at(NOON + 23 * HOUR).json('/tickers', z.array(z.unknown()))
  expect(asked).toEqual(['/pairs', '/tickers'])
  expect(kept.get('/pairs')?.body).toEqual({ symbols: [{ symbol: 'A', status: 'TRADING' }, 'no row'] })
  await at(NOON + 24 * HOUR).json('/pairs', Pairs)
  expect(asked).toHaveLength(3)
})

it('is reused for some days when it cannot be requested', async () => {
  const bodies: Record<string, unknown> = { '/pairs': body }
  const { at } = host(bodies)
  await at(NOON).json('/pairs', Pairs)
  bodies['/pairs'] = { error: 'no' }
  expect(await at(NOON + 48 * HOUR).json('/pairs', Pairs)).toMatchObject({ symbols: [{ symbol: 'A' }, 'no row'] })
  await expect(at(NOON + (STAND_IN_DAYS * 24 + 1) * HOUR).json('/pairs', Pairs)).rejects.toMatchObject({
    code: 'source_invalid',
  })
})

it('is refused where it is nested too deep to be kept', async () => {
  const deep: unknown = JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))
  const { kept, at } = host({ '/pairs': { symbols: [{ symbol: deep }] } })
  await expect(at(NOON).json('/pairs', Pairs)).rejects.toMatchObject({ code: 'source_invalid' })
  expect(kept.get('/pairs')?.body).toBeNull()
})

it('that the host does not give is requested again after some hours, and not by each run', async () => {
  const bodies: Record<string, unknown> = {}
  const { asked, kept, at } = host(bodies)
  await expect(at(NOON).json('/pairs', Pairs)).rejects.toMatchObject({ message: 'HTTP 404 for /pairs' })
  expect(kept.get('/pairs')).toMatchObject({ at: null, body: null })
  await expect(at(NOON + HOUR).json('/pairs', Pairs)).rejects.toMatchObject({ message: 'HTTP 404 for /pairs' })
  await expect(at(NOON + (RETRY_HOURS - 1) * HOUR).json('/pairs', Pairs)).rejects.toThrow(SourceError)
  expect(asked).toEqual(['/pairs'])

  bodies['/pairs'] = body
  expect(await at(NOON + RETRY_HOURS * HOUR).json('/pairs', Pairs)).toMatchObject({ symbols: [{}, 'no row'] })
  expect(asked).toHaveLength(2)
  expect(kept.get('/pairs')?.refused).toBeUndefined()
})

it('that is reused is not requested by every run', async () => {
  const bodies: Record<string, unknown> = { '/pairs': body }
  const { asked, at } = host(bodies)
  await at(NOON).json('/pairs', Pairs)
  delete bodies['/pairs']
  for (const hours of [24, 25, 29]) await at(NOON + hours * HOUR).json('/pairs', Pairs)
  expect(asked).toHaveLength(2)
})

it('is requested by the next run where the host was only out of reach', async () => {
  const asked: string[] = []
  const kept: KeptBodies = new Map()
  const connection = {
    stats: { requests: 0, retries: 0, bytes: 0 },
    close: async () => {},
    json: (path: string) => {
      asked.push(path)
      return Promise.reject(new SourceError('source_timeout', 'no answer'))
    },
  }
  for (const at of [NOON, NOON + HOUR])
    await expect(withSlowLists(connection, { id: 'acme', slow }, kept, at).json('/pairs', Pairs)).rejects.toMatchObject(
      { code: 'source_timeout' },
    )
  expect(asked).toHaveLength(2)
})
