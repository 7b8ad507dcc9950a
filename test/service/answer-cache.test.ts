import { expect, it } from 'vitest'
import { answerCache } from '../../src/service/answers.ts'
import { type Answer, toAnswer } from '../../src/service/answer.ts'

const here = () => true
const answer = (text: string, status = 200): Promise<Answer> => toAnswer(new Response(text, { status }), null)

it('computes an answer once for concurrent requests, and caches it', async () => {
  const cache = answerCache()
  let made = 0
  const make = async () => (made++, answer('a'))
  const answers = await Promise.all(Array.from({ length: 100 }, () => cache.named('a', 'br', make, here)))
  answers.push(await cache.named('a', 'br', make, here))
  expect([made, new Set(answers).size]).toEqual([1, 1])
})

it('keeps the codings of a document apart', async () => {
  const cache = answerCache()
  await cache.named('a', 'br', () => answer('br'), here)
  expect((await cache.named('a', 'gzip', () => answer('gzip'), here))?.body?.toString()).toBe('gzip')
})

it('keeps nothing but successes', async () => {
  const cache = answerCache()
  await cache.named('a', null, () => answer('gone', 404), here)
  expect((await cache.named('a', null, () => answer('here'), here))?.body?.toString()).toBe('here')
})

it('tries again after a failure', async () => {
  const cache = answerCache()
  await expect(cache.named('a', null, () => Promise.reject(new Error('no disk')), here)).rejects.toThrow('no disk')
  expect((await cache.named('a', null, () => answer('here'), here))?.body?.toString()).toBe('here')
})

it('makes only a few answers at once, however many are asked for', async () => {
  const cache = answerCache()
  let underWay = 0
  let most = 0
  const make = async () => {
    most = Math.max(most, ++underWay)
    const made = await answer('a')
    underWay--
    return made
  }
  await Promise.all(Array.from({ length: 100 }, (_, index) => cache.named(`${index}`, null, make, here)))
  expect(most).toBeLessThanOrEqual(4)
})

it('computes no answer after all its clients left, and computes it for a later one', async () => {
  const cache = answerCache()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const busy = ['x', 'y'].map((name) => cache.named(name, null, () => held.then(() => answer(name)), here))
  const made: string[] = []
  const make = (name: string) => async () => (made.push(name), answer(name))
  const lost = [cache.named('a', null, make('a'), () => false), cache.named('b', null, make('b'), () => false)]
  const shared = cache.named('b', null, make('b'), here)
  release()
  await Promise.all(busy)
  expect(await Promise.all([...lost, shared])).toEqual([null, null, await shared])
  expect(made).toEqual(['b'])
  expect((await cache.named('a', null, make('a'), here))?.body?.toString()).toBe('a')
})

it('leads any number of addresses to the one answer of a document', async () => {
  const cache = answerCache()
  const made = await cache.named('a', 'br', () => answer('a'), here)
  for (let index = 0; index < 25_000; index++) cache.remember(`/a?x=${index} br`, 'a', 'br')
  expect(cache.at('/a?x=24999 br')).toBe(made)
  expect(cache.at('/a?x=24999 gzip')).toBeUndefined()
})
