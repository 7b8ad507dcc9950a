import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type LogKey,
  entriesOf,
  hashesIn,
  printEntry,
  bundled,
  tileFile,
  filesWith,
  goneWith,
} from '../../src/contract/log.ts'
import { type HashAt, leafHash, rootFrom, rootOf } from '../../src/contract/merkle.ts'
import { parseKey, parseNote, printNote, signatureLine, toBase64 } from '../../src/contract/signed-note.ts'
import { keysAfter, printSecret, signerOf, signersIn } from '../../src/tree/run-log.ts'
import { includes, isSignedBy, treeHash } from './independent.ts'

const read = (files: ReadonlyMap<string, Uint8Array>) => (file: string) => files.get(file) ?? new Uint8Array()

/** A log of these entries as its tiles. */
function logOf(entries: readonly string[]): { files: Map<string, Uint8Array>; at: HashAt } {
  const files = new Map<string, Uint8Array>()
  for (const [size, entry] of entries.entries())
    for (const file of filesWith(entry, size, read(files))) files.set(...file)
  const at = hashesIn((level, index) => read(files)(tileFile(level, index, entries.length)))
  return { files, at }
}
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `entry ${at}`)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
/** The proof that an entry is included, from the leaf up. */
function proofOf(index: number, size: number, at: HashAt): Uint8Array[] {
  const path: Uint8Array[] = []
  rootFrom({ leaf: new Uint8Array(), index }, [0, size], (from, to) => {
    path.push(rootOf(from, to, at))
    return new Uint8Array()
  })
  return path
}
const buffers = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash))

describe('the hash of a log', () => {
  // Leaves and roots of the test data of Certificate Transparency.
  const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
  it.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [4, 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
    [5, '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    [6, '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('of %i leaves is that of the test data', (size, root) => {
    const leaves = LEAVES.slice(0, size).map((leaf) => Buffer.from(leaf, 'hex'))
    const tile = Buffer.concat(leaves.map((leaf) => leafHash(leaf)))
    const at = hashesIn(() => tile)
    expect(hex(rootOf(0, size, at))).toBe(root)
    expect(treeHash(leaves).toString('hex')).toBe(root)
  })

  it('is that of all entries, at every size, over three levels of tiles', () => {
    const entries = numbered(600)
    const { at } = logOf(entries)
    const leaves = entries.map((entry) => Buffer.from(entry))
    for (const size of [1, 2, 255, 256, 257, 300, 511, 512, 513, 600])
      expect(Buffer.from(rootOf(0, size, at))).toEqual(treeHash(leaves.slice(0, size)))
  })
})

describe('a proof', () => {
  const sizes = fc.integer({ min: 1, max: 600 }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)))
  const LOG_600 = logOf(numbered(600))
  const { at } = LOG_600

  it('of inclusion leads from each entry to the root, and from no other, for a verifier that shares no code too', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ([index, size], place) => {
        const root = rootOf(0, size, at)
        const proof = proofOf(index, size, at)
        const entry = Buffer.from(`entry ${index}`)
        const rootBy = (hashes: readonly Uint8Array[], leaf = leafHash(entry)) => {
          const left = [...hashes]
          const found = rootFrom({ leaf, index }, [0, size], () => left.shift() ?? new Uint8Array())
          return left.length === 0 ? hex(found) : 'too long'
        }
        expect(rootBy(proof)).toBe(hex(root))
        expect(includes(entry, index, size, buffers(proof), Buffer.from(root))).toBe(true)
        expect(includes(entry, (index + 1) % (size + 1), size, buffers(proof), Buffer.from(root))).toBe(false)
        expect(rootBy(proof, leafHash(Buffer.from('another')))).not.toBe(hex(root))
        expect(rootBy([...proof, root])).toBe('too long')
        if (proof.length === 0) return
        expect(rootBy(proof.with(place % proof.length, root))).not.toBe(hex(root))
        expect(rootBy(proof.slice(1))).not.toBe(hex(root))
      }),
    )
  })

  it('of consistency has the roots of both sizes, whatever a tile of a higher level says of leaves on both sides', () => {
    fc.assert(
      fc.property(sizes, ([last, size]) => {
        const before = last + 1
        // At a full tile no tile has leaves on both sides, and neither root is made of its leaves.
        fc.pre(before % 256 !== 0)
        const [old, now] = [before, size].map((end) => hex(rootOf(0, end, at)))
        const { files } = LOG_600
        const tile = (level: number, index: number) => read(files)(tileFile(level, index, 600))
        const own = hashesIn(tile, before)
        expect([before, size].map((end) => hex(rootOf(0, end, own)))).toEqual([old, now])
        // A log with another past shows tiles in which either size is right, and never both.
        const forged = hashesIn(
          (level, index) =>
            level === 0 && index === Math.floor(last / 256) ? Buffer.alloc(8192, 1) : tile(level, index),
          before,
        )
        expect([before, size].map((end) => hex(rootOf(0, end, forged)))).not.toEqual([old, now])
      }),
    )
  })

  it.each([
    [1_000, 10],
    [100_000, 17],
    [1_000_000, 20],
  ])('of the last of %i runs has at most %i hashes, and takes less than two kilobytes', (size, most) => {
    const proof = proofOf(size - 1, size, () => new Uint8Array(32))
    expect(proof.length).toBeLessThanOrEqual(most)
    expect(proof.map(toBase64).join('\n').length + 800).toBeLessThan(2048)
  })
})

describe('the tiles', () => {
  it.each([
    ['log/tile/0/x001/x234/067', 0, 1_234_067, 400_000_000],
    ['log/tile/0/272', 0, 272, 70_000],
    ['log/tile/0/273.p/112', 0, 273, 70_000],
    ['log/tile/1/000', 1, 0, 70_000],
    ['log/tile/1/001.p/17', 1, 1, 70_000],
    ['log/tile/2/000.p/1', 2, 0, 70_000],
    ['log/tile/entries/000', 'entries', 0, 256],
    ['log/tile/1/000.p/1', 1, 0, 256],
  ] as const)('are named as the specification names them: %s', (file, level, index, size) => {
    expect(tileFile(level, index, size)).toBe(file)
  })

  it('are one for every size, and a full one', () => {
    const entries = numbered(258)
    const { files } = logOf(entries)
    const widths = (to: number) => Array.from({ length: to }, (_, at) => `.p/${at + 1}`)
    expect(new Set(files.keys())).toEqual(
      new Set([
        ...['entries', '0'].flatMap((level) => ['', ...widths(255)].map((width) => `log/tile/${level}/000${width}`)),
        ...['entries', '0'].flatMap((level) => widths(2).map((width) => `log/tile/${level}/001${width}`)),
        'log/tile/1/000.p/1',
      ]),
    )
    expect(files.get('log/tile/0/000')?.length).toBe(8192)
  })

  it.each([
    [20, 20, 8],
    [255, 255, 8],
    [256, 0, 0],
    [259, 3, 3],
  ])('of %i runs are %i partial ones of hashes and %i of entries', (size, hashes, entries) => {
    const files = new Map<string, Uint8Array>()
    for (const [at, entry] of numbered(size).entries())
      for (const [file, content] of filesWith(entry, at, read(files))) {
        files.set(file, content)
        for (const gone of goneWith(file)) files.delete(gone)
      }
    const partial = (level: string) =>
      [...files.keys()].filter((file) => file.startsWith(`log/tile/${level}/`) && file.includes('.p/'))
    expect(partial('0')).toHaveLength(hashes)
    expect(partial('entries')).toHaveLength(entries)
    expect(files.has(tileFile('entries', Math.floor((size - 1) / 256), size))).toBe(true)
  })

  it('have entries that are ASCII in a bundle, whatever their length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700 }), (length) => {
        const entry = { manifest: 'x'.repeat(length), index: '', inputs: '', commit: null, methodology: '9', keys: [] }
        const text = printEntry({ ...entry, generatedAt: '', staleAfter: '' })
        const bundle = bundled(text) + bundled(text)
        expect(Buffer.from(bundle).length).toBe(bundle.length)
        expect(entriesOf(bundle)).toEqual([text, text])
        expect(entriesOf(bundle.slice(0, -1))).toBeNull()
        expect(JSON.parse(text)).toMatchObject({ commit: null })
      }),
    )
  })
})

describe('a signed note', () => {
  // The example of golang.org/x/mod/sumdb/note.
  const KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const SECRET = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
  const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const NOTE = `${TEXT}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

  it('is that of the example, byte for byte', () => {
    const [signer] = signersIn(SECRET) ?? []
    if (!signer) throw new Error('no signer')
    expect(parseKey(KEY)).toEqual({ ...signer.key, key: new Uint8Array(signer.key.key) })
    const signatures = [signatureLine(signer.key, signer.sign(TEXT))]
    expect(printNote({ text: TEXT, signatures })).toBe(NOTE)
    expect(printNote(parseNote(NOTE) ?? { text: '', signatures: [] })).toBe(NOTE)
    expect(isSignedBy(KEY, NOTE)).toBe(true)
  })

  it.each([
    ['without a newline at its end', NOTE.slice(0, -1)],
    ['without an empty line', NOTE.replace('\n\n', '\n')],
    ['with a control character', NOTE.replace('you', 'y\u0007u')],
    ['with a line that is no signature', `${NOTE}PeterNeumann x08g\n`],
    ['with other base64 of the same bytes', NOTE.replace('AM=\n', 'AN=\n')],
    ['longer than any', NOTE.repeat(2000)],
  ])('%s is none', (_, note) => {
    expect(parseNote(note)).toBeNull()
  })

  it('is a key only with the id of its bytes', () => {
    expect(parseKey(KEY.replace('c74f20a3', 'c74f20a4'))).toBeNull()
    expect(signersIn(SECRET.replace('c74f20a3', 'c74f20a4'))).toBeNull()
    expect(signersIn('')).toBeNull()
    expect(signersIn(printSecret('a b', Buffer.alloc(32)))).toBeNull()
    expect(signersIn(printSecret('log.example', Buffer.alloc(32, 1)))).toHaveLength(1)
    expect(signersIn(`${SECRET} x`)).toBeNull()
  })
})

describe('the keys', () => {
  const [first, second] = ['1', '2'].map((text) =>
    signerOf('log.example/prices', createHash('sha256').update(text).digest()),
  )
  const rows = (keys: readonly LogKey[]) => keys.map(({ from, until }) => [from, until])

  it('of a rotation sign side by side for thirty days, and one that is lost signs no longer', () => {
    if (!first || !second) throw new Error('no signers')
    const begun = keysAfter([], [first], '2026-01-01T00:00:00Z')
    expect(rows(begun)).toEqual([['2026-01-01T00:00:00Z', null]])
    expect(keysAfter(begun, [first], '2026-02-01T00:00:00Z')).toBe(begun)
    expect(keysAfter(begun, [], '2026-02-01T00:00:00Z')).toBe(begun)
    const rotated = keysAfter(begun, [first, second], '2026-03-01T00:00:00Z')
    expect(rows(rotated)).toEqual([
      ['2026-01-01T00:00:00Z', '2026-03-31T00:00:00Z'],
      ['2026-03-01T00:00:00Z', null],
    ])
    expect(rows(keysAfter(begun, [second], '2026-03-01T00:00:00Z'))).toEqual([
      ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z'],
      ['2026-03-01T00:00:00Z', null],
    ])
    expect(keysAfter([], [], '2026-03-01T00:00:00Z')).toEqual([])
  })
})
