import * as fc from 'fast-check'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { newFolder } from '../sample-tree.ts'
import { intakeOf, onDisk } from './world.ts'

/** Size and seed of a run: `FUZZ_RUNS=10000 FUZZ_SEED=7 npx vitest run --project deep test/service/bodies`. */
const BODIES = Number(process.env['FUZZ_RUNS'] ?? 2000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
/** What one run of the garbage collector may leave more than another. 2,000 bodies that stay would be ten times it. */
const NOISE_BYTES = 3 * 2 ** 20

let server: Listening
const reported: unknown[] = []
beforeAll(async () => {
  const report = (error: unknown) => void reported.push(error)
  const queue = openFolderQueue(newFolder())
  const context = onDisk(newFolder(), () => performance.now(), { intake: intakeOf({ queue }), report })
  server = await listen(context, '127.0.0.1', 0)
})
afterAll(() => server.close())

const valid = { name: 'New Coin', symbol: 'NEW', website: 'https://new.example' }
const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding)

const body: fc.Arbitrary<Buffer> = fc.oneof(
  fc.json({ maxDepth: 8 }).map((text) => bytes(text, 'utf8')),
  // A request that is right but for one member.
  fc
    .tuple(
      fc.constantFrom('name', 'symbol', 'website', 'contracts', 'markets', 'note', 'slug', '__proto__'),
      fc.jsonValue(),
    )
    .map(([name, value]) =>
      bytes(JSON.stringify(Object.fromEntries([...Object.entries(valid), [name, value]])), 'utf8'),
    ),
  fc
    .constantFrom('[', '{"a":', '[{"contracts":')
    .chain((open) => fc.integer({ min: 1, max: 5000 }).map((depth) => bytes(open.repeat(depth), 'utf8'))),
  fc
    .integer({ min: 1, max: 40_000 })
    .map((length) => bytes(JSON.stringify({ ...valid, name: 'x'.repeat(length) }), 'utf8')),
  fc
    .constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty')
    .map((name) =>
      bytes(`{"${name}":{"name":"x"},"name":"A","symbol":"A","${name}":1,"contracts":[{"${name}":1}]}`, 'utf8'),
    ),
  fc
    .constantFrom('utf16le', 'latin1')
    .map((encoding) => bytes(JSON.stringify({ ...valid, name: 'Naïve ÿ' }), encoding)),
  fc
    .constantFrom('"\\ud800"', '"\\udfff x"', '"\\u0000"', '"\\u202e"')
    .map((name) => bytes(`{"name":${name},"symbol":"A","website":"https://a.example"}`, 'utf8')),
  fc.uint8Array({ maxLength: 20_000 }).map((array) => Buffer.from(array)),
)

setFlagsFromString('--expose-gc')
const collectGarbage = z.function({ input: [], output: z.void() }).implement(runInNewContext('gc'))
const heldAfterGarbage = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

it(
  `answers 4xx or 202 to ${BODIES} bodies of every kind, and holds on to none of them (seed ${SEED})`,
  async () => {
    const seen = new Map<number, number>()
    const post = async (sent: Buffer): Promise<void> => {
      const response = await fetch(`${server.url}/api/mkt/listing-requests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(sent),
      })
      const answer = z.object({ ok: z.boolean() }).parse(await response.json())
      expect(answer.ok).toBe(response.status === 202)
      expect(response.status === 202 || (response.status >= 400 && response.status < 500)).toBe(true)
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
    }
    // What is loaded and compiled with the first ones stays, and so does what open connections hold of the last ones.
    await fc.assert(fc.asyncProperty(body, post), { numRuns: BODIES })
    const before = heldAfterGarbage()
    await fc.assert(fc.asyncProperty(body, post), { numRuns: BODIES, seed: SEED })
    expect(heldAfterGarbage() - before).toBeLessThan(NOISE_BYTES)
    expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([202, 400, 413, 422, 429])
    expect(reported).toEqual([])
  },
  120_000 + 120 * BODIES,
)
