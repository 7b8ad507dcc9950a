import { describe, expect, it } from 'vitest'
import { HOUR, HEAD, NOON, TRENDING, fine, headUntil, iso, listOf, netOf } from './net.ts'

const [A, B] = ['https://a', 'https://b']

describe('data that is out of date', () => {
  const old = (hours: number) => fine('a', { [HEAD]: headUntil(NOON - hours * HOUR) })

  it('is marked, and taken where no mirror has newer data', async () => {
    const net = netOf({ a: old(1), b: () => 'away' })
    expect(await net.client.trending()).toMatchObject({ mirror: A, stale: true, staleAfter: iso(NOON - HOUR) })
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

  it('is found out from a head that is asked once until it is out of date, then once a minute', async () => {
    const net = netOf({ a: fine('a') })
    const heads = async (): Promise<number> => {
      await net.client.trending()
      return net.asked.splice(0).filter((one) => one.endsWith(HEAD)).length
    }
    expect([await heads(), await heads()]).toEqual([1, 0])
    net.clock.now = NOON + HOUR
    expect(await heads()).toBe(0)
    net.clock.now += 1
    expect([await heads(), await heads()]).toEqual([1, 0])
    net.clock.now += 60_000
    net.hosts['a'] = fine('a', { [HEAD]: headUntil(NOON + 2 * HOUR) })
    expect([await heads(), await heads()]).toEqual([1, 0])
    expect(await net.client.trending()).toMatchObject({ stale: false })
  })
})
