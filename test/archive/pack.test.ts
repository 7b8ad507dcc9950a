import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Packable } from '../../src/archive/pack-plan.ts'
import { writePack } from '../../src/archive/write-pack.ts'
import { openPack } from '../../src/client/pack.ts'
import { FOOTER_BYTES, footerOf, isPackIndex } from '../../src/contract/pack.ts'
import { print } from '../../src/contract/text.ts'

const HEAD = { generatedAt: '2026-11-20T12:00:00Z', staleAfter: '2026-11-20T13:30:00Z', snapshotId: 'abc' }

const documentOf = (path: string, text: string): Packable => ({
  path,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
})

/** Opens bytes as a pack, counting what is read of them. */
async function opened(bytes: Uint8Array, index = footerOf(Buffer.from(bytes.subarray(-FOOTER_BYTES)).toString())) {
  if (!index) throw new Error('there is no footer')
  const asked: number[] = []
  const read = async (from: number, length: number) => {
    asked.push(length)
    return bytes.subarray(from, from + length)
  }
  return { asked, pack: await openPack({ name: 'a.pack', bytes: bytes.length, index, read }) }
}

const textOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes))

const slug = fc.constantFrom('bitcoin', 'ethereum', 'a', '0', 'bit', 'e-1')
const value = fc.oneof(
  fc.string(),
  fc.constantFrom('bitcoin', '/token/bitcoin', '"slug":"a"', '\\', '{}', '\u2028', 'é'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const row = fc.record({
  slug,
  name: value,
  price_usd: value,
  list: fc.array(value),
  nested: fc.dictionary(fc.string(), value),
})
const body = fc.oneof(
  fc.record({ ok: fc.boolean(), rows: fc.array(row, { maxLength: 40 }) }),
  fc.record({ slug, asset: row }),
  fc.record({ prices: fc.dictionary(fc.string(), value, { maxKeys: 60 }) }),
  fc.record({ prices: fc.dictionary(fc.string(), fc.record({ slug, price_usd: value })) }),
)
const documents = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,6}(\/[a-z]{1,4})?$/), body, { maxKeys: 12 })
  .map((bodies) => Object.entries(bodies).map(([path, value]) => documentOf(`api/mkt/${path}.json`, print(value))))

describe('a pack', () => {
  it('gives back every document, byte for byte', () =>
    fc.assert(
      fc.asyncProperty(documents, async (given) => {
        const { pack } = await opened(writePack(HEAD, given).bytes)
        for (const { path, text } of given) expect(textOf(await pack.document(path))).toBe(text)
        expect(pack.index.paths).toEqual(given.map(({ path }) => path).toSorted())
        expect(await pack.document('api/mkt/none.json')).toBe(null)
      }),
      { numRuns: 40 },
    ))

  it('has equal bytes for equal documents, in any order', () =>
    fc.assert(
      fc.property(documents, (given) => {
        expect(writePack(HEAD, given.toReversed()).bytes.equals(writePack(HEAD, given).bytes)).toBe(true)
      }),
      { numRuns: 20 },
    ))

  it('stores the rows that lists share once', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => ({
      slug: `s-${at}`,
      price_usd: at / 7,
      volume: (at * 7919) % 997,
    }))
    const list = (name: string, own: typeof rows) => documentOf(`api/mkt/${name}.json`, print({ ok: true, rows: own }))
    const one = writePack(HEAD, [list('assets', rows)]).bytes
    const three = [list('assets', rows), list('gainers', rows.toReversed()), list('trending', rows.slice(9))]
    const both = writePack(HEAD, three).bytes
    expect(both.length).toBeLessThan(1.5 * one.length)
    const { pack } = await opened(both)
    for (const { path, text } of three) expect(textOf(await pack.document(path))).toBe(text)
  })

  it('refuses a document that the program did not print', () => {
    for (const text of ['{"a":1}', '{"a":\t1}\n', '{"a":"\u0001"}\n'])
      expect(() => writePack(HEAD, [documentOf('api/mkt/a.json', text)])).toThrow('cannot be packed')
  })
})

describe('a damaged pack', () => {
  const given = Array.from({ length: 30 }, (_, at) =>
    documentOf(`api/mkt/assets/s-${at}.json`, print({ slug: `s-${at}`, asset: { price_usd: at } })),
  )
  const { bytes, index } = writePack(HEAD, given)

  it('hands out nothing wrong, whichever bytes are wrong', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bad = Buffer.from(bytes)
        bad[at] = (bad[at] ?? 0) ^ change
        for (const { path, text } of given.slice(0, 3)) {
          const answer = await opened(bad, index)
            .then(({ pack }) => pack.document(path))
            .then(textOf, () => 'refused')
          expect([text, 'refused']).toContain(answer)
        }
      }),
    ))

  it('is refused when it is cut off, wherever', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        const read = async (from: number, count: number) => bytes.subarray(0, length).subarray(from, from + count)
        const pack = await openPack({ name: 'a.pack', bytes: bytes.length, index, read }).catch(() => null)
        const answer = await pack?.document('api/mkt/assets/s-3.json').catch(() => null)
        expect([undefined, null, given[3]?.text]).toContain(answer ? textOf(answer) : answer)
      }),
    ))

  it('is refused when its index points outside', async () => {
    const groups = bytes.length - FOOTER_BYTES - index.bytes
    const text = gunzipSync(bytes.subarray(groups, groups + index.bytes)).toString()
    const value: unknown = JSON.parse(text)
    expect(isPackIndex(value, groups)).toBe(true)
    expect(isPackIndex(value, groups - 1)).toBe(false)
    expect(isPackIndex(value, groups + 1)).toBe(false)
    const outside: unknown = JSON.parse(text.replace('"homes":[0', '"homes":[9'))
    expect(isPackIndex(outside, groups)).toBe(false)
    for (const path of ['../x', '/etc/passwd', 'a/../b', '.lock', 'a\\\\b'])
      expect(isPackIndex(JSON.parse(text.replace('api/mkt/assets/s-0.json', path)), groups)).toBe(false)
    await expect(opened(bytes, { ...index, bytes: bytes.length })).rejects.toThrow('points outside')
  })
})
