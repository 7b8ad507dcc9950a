import { expect, it } from 'vitest'
import * as z from 'zod'
import { type EndpointSpec, fileOf, urlOf } from '../../src/core/contract/endpoint-spec.ts'
import { printable } from '../../src/core/contract/parameters.ts'
import { resolve } from '../../src/service/resolve.ts'
import { keysIn } from './keys-in-tree.ts'

const letter = { ...printable, description: 'A letter.', schema: z.string().regex(/^[a-z]$/) }
const size = {
  description: 'A size.',
  schema: z.literal([1, 2]),
  type: 'integer' as const,
  allowed: [1, 2],
  default: 1,
}

/** An endpoint with parameters that no other has. */
const madeUp: EndpointSpec = {
  name: 'initials',
  group: 'Operations',
  method: 'GET',
  path: '/initials/:letter',
  description: 'Made up.',
  parameters: { letter, size },
  members: {},
}
const files = ['initials/b/size=1', 'initials/b/size=2', 'initials/c/size=1', 'initials/B', 'initials', 'letters/b']

it('finds the keys of an endpoint with new parameters by its declaration', () => {
  const keys = keysIn(
    files.map((file) => `api/mkt/${file}.json`),
    madeUp,
  )
  expect(keys).toEqual([
    { letter: 'b', size: 1 },
    { letter: 'b', size: 2 },
    { letter: 'c', size: 1 },
    { letter: 'c', size: 2 },
  ])
  for (const key of keys)
    expect(resolve([madeUp], 'GET', new URL(urlOf(madeUp, key), 'http://host'))).toMatchObject({
      kind: 'document',
      key,
      file: fileOf(madeUp, key),
    })
})
