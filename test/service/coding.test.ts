import { expect, it } from 'vitest'
import { codingFor } from '../../src/service/answers.ts'

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
