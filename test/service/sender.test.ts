import { expect, it } from 'vitest'
import { networkOf } from '../../src/service/sender.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
  ['2001:DB8:0:1::5', '2001:db8:0:1'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1'],
  ['2001:db8::5', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network))
