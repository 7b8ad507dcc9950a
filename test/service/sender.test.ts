import { expect, it } from 'vitest'
import { networkOf } from '../../src/service/listing-requests.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['2001:db8:7:1:2:3:4:5', '2001:db8:7:1'],
  ['2001:db8:7:1::5', '2001:db8:7:1'],
  ['2001:db8:7::5', '2001:db8:7'],
  ['2001:db8::1', '2001:db8'],
  ['2001:db8::2', '2001:db8'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['unknown', 'unknown'],
  ['', ''],
])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network))
