import { DexPair } from '../contract/dex-pair.ts'
import { listOf } from '../contract/envelope.ts'
import { endpoint } from './endpoint.ts'

export const dexPairs = endpoint({
  name: 'dex-pairs',
  group: 'Ecosystem',
  path: '/dex-pairs',
  description: 'Pools of decentralized exchanges that trade listed tokens, by liquidity. Preview.',
  example: '/dex-pairs',
  parameters: {},
  members: listOf(DexPair),
  health: ({ dexHealth }) => dexHealth,
  body: ({ pairs, listed }) => ({ count: pairs.length, total: listed.length, rows: pairs }),
})
