import { expect, it } from 'vitest'
import { listText, requestText } from '../../src/requests/print.ts'
import { AT, recordOf } from '../service/world.ts'

const CLEAR = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007'
const hostile = {
  ...recordOf('request-1'),
  body: {
    request_type: 'new' as const,
    name: `Coin${CLEAR}`,
    symbol: 'A\u202eB',
    website: 'https://a.example',
    note: 'Hello.\nstatus           approved\n! Nothing to look at',
  },
  ignored: [`${CLEAR}\n  2026-11-20T12:00:00Z  approved`],
  warnings: ['\u009b2J'],
}

it.each([
  ['a list', () => listText([{ record: hostile, hints: [`like ${CLEAR}`] }], Date.parse(AT))],
  ['a request', () => requestText({ record: hostile, hints: [`like ${CLEAR}`] })],
])('shows what was sent in %s by its codes, and acts on none of it', (_, text) => {
  expect(text()).not.toMatch(/[^\P{C}\n]/u)
  expect(text()).toContain(String.raw`\u001b[2J\u001b]52`)
})

it('lets no submitted text start a new line', () => {
  const lines = requestText({ record: hostile, hints: [] }).split('\n')
  expect(lines.filter((line) => line.startsWith('status'))).toEqual(['status           pending'])
  expect(lines.filter((line) => line.startsWith('!'))).toEqual([])
  expect(lines.filter((line) => /^ {2}2026-/.test(line))).toEqual([])
})
