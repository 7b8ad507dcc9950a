import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeSnapshot } from '../../src/delivery/snapshot-documents.ts'
import { openSnapshotFile } from '../../src/client/snapshot-file.ts'
import { print } from '../../src/contract/text.ts'
import { documentsOf } from '../../src/contract/zip.ts'
import type { ZipText } from '../../src/tree/write-zip.ts'
import { newFolder } from '../sample-tree.ts'

const HEAD = {
  generatedAt: '2026-11-20T12:00:00Z',
  staleAfter: '2026-11-20T13:30:00Z',
  snapshotId: 'abc',
  limits: [],
}

/** Opens bytes as a snapshot file. */
const opened = (bytes: Uint8Array, end: ReturnType<typeof writeSnapshot>['end']) =>
  openSnapshotFile({
    name: 'a.zip',
    bytes: bytes.length,
    end,
    read: async (from, length) => bytes.subarray(from, from + length),
  })
const written = (documents: readonly ZipText[]) => {
  const { bytes, end } = writeSnapshot(HEAD, documents)
  return opened(bytes, end)
}

// Long ones are entries of their own. What could be taken for the end of a document in a group has one too.
const text = fc.oneof(
  fc.json().map((json) => `${json}\n`),
  fc.array(fc.nat(), { minLength: 3 }).map((rows) => print({ ok: true, rows })),
  fc.constantFrom('', '\n', 'no line end', '{\n"api/mkt/a.json":\n{}\n}\n', '1\n,\n"2', 'é\u2028\n'),
  fc.integer({ min: 100_000, max: 200_000 }).map((length) => `"${'long '.repeat(length / 5)}"\n`),
)
const documents = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,6}(\/[a-z]{1,4})?$/), text, { maxKeys: 12 })
  .map((texts) => Object.entries(texts).map(([path, own]) => ({ path: `api/mkt/${path}.json`, text: own })))

const many = Array.from({ length: 3000 }, (_, at) => ({
  path: `api/mkt/assets/s-${String(at).padStart(4, '0')}.json`,
  text: print({ slug: `s-${at}`, asset: { price_usd: at, name: 'x'.repeat(200) } }),
}))

describe('a snapshot file', () => {
  it('gives back every document, byte for byte', () =>
    fc.assert(
      fc.asyncProperty(documents, async (given) => {
        const file = await written(given)
        for (const one of given) expect(await file.document(one.path)).toBe(one.text)
        const all = await Promise.all(
          file.entries.map(async (entry) => [...documentsOf(entry, await file.text(entry))]),
        )
        expect(new Map(all.flat())).toEqual(new Map(given.map((one) => [one.path, one.text])))
        expect(await file.document('api/mkt/none.json')).toBe(null)
      }),
      { numRuns: 40 },
    ))

  it('has equal bytes for equal documents, in any order and zone', () => {
    const bytes = writeSnapshot(HEAD, many).bytes
    const zone = process.env['TZ']
    process.env['TZ'] = 'Asia/Tokyo'
    expect(writeSnapshot(HEAD, many.toReversed()).bytes.equals(bytes)).toBe(true)
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('has few entries, and every document in the one that its name leads to', async () => {
    const file = await written(many)
    expect(file.entries.length).toBeLessThan(10)
    for (const { path, text: own } of many.filter((_, at) => at % 97 === 0)) expect(await file.document(path)).toBe(own)
  })

  it('is opened by unzip and by libraries', () => {
    const [folder, long] = [newFolder(), { path: 'api/mkt/assets.json', text: `${'[1,2,3]'.repeat(30_000)}\n` }]
    const { bytes } = writeSnapshot(HEAD, [...many, long])
    const file = join(folder, 'a.zip')
    writeFileSync(file, bytes)
    expect(execFileSync('unzip', ['-t', file], { encoding: 'utf8' })).toContain('No errors detected')
    expect(execFileSync('unzip', ['-l', file], { encoding: 'utf8' })).toContain('groups/api/mkt/assets/s-0000.json')
    expect(execFileSync('unzip', ['-p', file, 'api/mkt/assets.json'], { encoding: 'utf8' })).toBe(long.text)
    expect(Buffer.from(unzipSync(bytes)['api/mkt/assets.json'] ?? []).toString()).toBe(long.text)
  })
})

describe('a damaged snapshot file', () => {
  const given = Array.from({ length: 30 }, (_, at) => ({
    path: `api/mkt/assets/s-${at}.json`,
    text: print({ slug: `s-${at}`, asset: { price_usd: at } }),
  }))
  const { bytes, end } = writeSnapshot(HEAD, given)

  it('hands out nothing wrong, whichever bytes are wrong', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bad = Buffer.from(bytes)
        bad[at] = (bad[at] ?? 0) ^ change
        for (const { path, text: own } of given.slice(0, 3)) {
          const answer = await opened(bad, end)
            .then((file) => file.document(path))
            .catch(() => 'refused')
          expect([own, 'refused']).toContain(answer)
        }
      }),
    ))

  it('is refused when it is cut off, wherever', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        const read = async (from: number, count: number) => bytes.subarray(0, length).subarray(from, from + count)
        const opening = openSnapshotFile({ name: 'a.zip', bytes: bytes.length, end, read })
        await expect(opening.then((file) => file.document('api/mkt/assets/s-3.json'))).rejects.toThrow('a.zip')
      }),
    ))
})
