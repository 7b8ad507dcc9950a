import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { limitUnsent } from '../../src/service/answers.ts'

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
