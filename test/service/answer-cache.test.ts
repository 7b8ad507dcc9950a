import { expect, it } from 'vitest'
import { answerCache } from '../../src/service/answer-cache.ts'
import { type Answer, toAnswer } from '../../src/service/answer.ts'

const answer = (text: string, status = 200): Promise<Answer> => toAnswer(new Response(text, { status }), null)

it('makes an answer once for all who ask for its name at once, and keeps it', async () => {
  const cache = answerCache()
  let made = 0
  const make = async () => (made++, answer('a'))
  const answers = await Promise.all(Array.from({ length: 100 }, () => cache.named('a', 'br', make)))
  answers.push(await cache.named('a', 'br', make))
  expect([made, new Set(answers).size]).toEqual([1, 1])
})

it('keeps the codings of a document apart', async () => {
  const cache = answerCache()
  await cache.named('a', 'br', () => answer('br'))
  expect((await cache.named('a', 'gzip', () => answer('gzip'))).body?.toString()).toBe('gzip')
})

it('keeps nothing but successes', async () => {
  const cache = answerCache()
  await cache.named('a', null, () => answer('gone', 404))
  expect((await cache.named('a', null, () => answer('here'))).body?.toString()).toBe('here')
})

it('tries again after a failure', async () => {
  const cache = answerCache()
  await expect(cache.named('a', null, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
  expect((await cache.named('a', null, () => answer('here'))).body?.toString()).toBe('here')
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
  await Promise.all(Array.from({ length: 100 }, (_, index) => cache.named(`${index}`, null, make)))
  expect(most).toBeLessThanOrEqual(4)
})

it('leads any number of addresses to the one answer of a document', async () => {
  const cache = answerCache()
  const made = await cache.named('a', 'br', () => answer('a'))
  for (let index = 0; index < 25_000; index++) cache.remember(`/a?x=${index}`, 'a', 'br')
  expect(cache.at('/a?x=24999', 'br')).toBe(made)
  expect(cache.at('/a?x=24999', 'gzip')).toBeUndefined()
})
