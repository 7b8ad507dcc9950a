import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { codingFor, limitUnsent } from '../../src/service/answers.ts'

/** An answer whose client takes nothing. */
function unsent(body: Buffer): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.end(body)
  return response
}

it('closes the oldest of those that hold more than the limit', () => {
  const track = limitUnsent(250)
  const answers = Array.from({ length: 4 }, () => {
    const body = Buffer.alloc(100)
    const response = unsent(body)
    track(response, body)
    return response
  })
  expect(answers.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
})

it('counts a body once, however many read it', () => {
  const track = limitUnsent(250)
  const body = Buffer.alloc(200)
  const answers = Array.from({ length: 100 }, () => unsent(body))
  for (const response of answers) track(response, body)
  expect(answers.some(({ destroyed }) => destroyed)).toBe(false)
})

it('forgets a body once its last reader is gone', () => {
  const track = limitUnsent(250)
  for (let index = 0; index < 10; index++) {
    const body = Buffer.alloc(200)
    const response = unsent(body)
    track(response, body)
    response.emit('close')
    expect(response.destroyed).toBe(false)
  }
})

it.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['gzip;q=0.2, identity;q=0.8', null],
  ['identity;q=0, gzip', 'gzip'],
  ['identity', null],
  ['identity;q=0', null],
  ['*;q=0', null],
  ['gzip;q=0', null],
  ['', null],
])('accepting "%s" gives %s', (accepted, coding) => expect(codingFor(accepted)).toBe(coding))
