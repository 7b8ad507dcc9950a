import { describe, expect, it } from 'vitest'
import { HOUR, INDEX, NOON, TRENDING, envelope, fine, indexUntil, iso, listOf, netOf } from './net.ts'

const [A, B] = ['https://a', 'https://b']

describe('data that is out of date', () => {
  const old = (hours: number) => fine('a', { [INDEX]: indexUntil(NOON - hours * HOUR) })

  it('is marked, and taken where no mirror has newer data', async () => {
    const net = netOf({ a: old(1), b: () => 'away' })
    expect(await net.client.trending()).toMatchObject({ mirror: A, stale: true, staleAfter: iso(NOON - HOUR) })
  })

  it('is no longer, once a document shows a newer snapshot than the index did', async () => {
    const index = (at: number) => ({
      body: { ...envelope('index'), generatedAt: iso(at), staleAfter: iso(at + HOUR), links: {} },
    })
    const net = netOf({ a: fine('a', { [INDEX]: index(NOON) }) })
    await net.client.trending()
    net.clock.now = NOON + 2 * HOUR
    const newer = { body: listOf('a', { timestamp: iso(NOON + 1.5 * HOUR) }) }
    net.hosts['a'] = fine('a', { [INDEX]: index(NOON + 1.75 * HOUR), [TRENDING]: newer })
    net.asked.length = 0
    expect(await net.client.trending()).toMatchObject({ stale: false, staleAfter: iso(NOON + 2.5 * HOUR) })
    expect(net.asked).toEqual([`a${TRENDING}`])
    net.clock.now = NOON + 2.6 * HOUR
    expect(await net.client.trending()).toMatchObject({ stale: false, staleAfter: iso(NOON + 2.75 * HOUR) })
    expect(net.asked).toEqual([`a${TRENDING}`, `a${TRENDING}`, `a${INDEX}`])
  })

  it('is refused beyond the allowed age, and the next mirror is tried', async () => {
    const net = netOf({ a: old(2), b: old(1) }, { maxStaleMs: HOUR })
    expect(await net.client.trending()).toMatchObject({ mirror: B, stale: true })
    net.clock.now += 1
    await expect(net.client.trending()).rejects.toMatchObject({
      failures: [
        { name: 'StaleError', mirror: B, staleForMs: HOUR + 1, isWhole: true },
        { name: 'StaleError', mirror: A, staleForMs: 2 * HOUR + 1 },
      ],
    })
  })

  const carried = (sourceStatus: string) => ({
    [TRENDING]: {
      body: listOf('a', {
        sourceStatus,
        sourceError: { code: 'source_stale', message: '', sources: [], since: iso(NOON - 2 * HOUR) },
      }),
    },
  })

  it.each([
    ['ok', false],
    ['degraded', false],
    ['stale', true],
    ['down', true],
  ])('is also what its sources let down: %s is stale: %s', async (sourceStatus, stale) => {
    const net = netOf({ a: fine('a', carried(sourceStatus)) })
    expect(await net.client.trending()).toMatchObject({ stale })
  })

  it('of one document does not disqualify the rest of a mirror', async () => {
    const net = netOf({ a: fine('a', carried('stale')), b: fine('b') }, { maxStaleMs: HOUR })
    expect(await net.client.trending()).toMatchObject({ mirror: B })
    expect(net.news()).toEqual([`a${TRENDING}`, `b${TRENDING}`])
    net.hosts['a'] = fine('a')
    expect(await net.client.trending()).toMatchObject({ mirror: A })
  })

  it('is found out from an index that is asked once until it is out of date, then once a minute', async () => {
    const net = netOf({ a: fine('a') })
    const indexes = async (): Promise<number> => {
      await net.client.trending()
      return net.asked.splice(0).filter((one) => one.endsWith(INDEX)).length
    }
    expect([await indexes(), await indexes()]).toEqual([1, 0])
    net.clock.now = NOON + HOUR
    expect(await indexes()).toBe(0)
    net.clock.now += 1
    expect([await indexes(), await indexes()]).toEqual([1, 0])
    net.clock.now += 60_000
    net.hosts['a'] = fine('a', { [INDEX]: indexUntil(NOON + 2 * HOUR) })
    expect([await indexes(), await indexes()]).toEqual([1, 0])
    expect(await net.client.trending()).toMatchObject({ stale: false })
  })
})
