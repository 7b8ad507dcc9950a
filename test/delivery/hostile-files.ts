import { type ArchivedSnapshot, snapshotFile } from '../../src/contract/archive.ts'
import { printBlock } from '../../src/contract/blocks.ts'
import { HEAD_ENTRY } from '../../src/contract/snapshot-file.ts'
import { sha256Of } from '../../src/contract/digest.ts'
import { ZipFile, deflate } from '../../src/tree/write-zip.ts'

/** A snapshot file that someone hands in, as the list of its day names it, and the path of a document in it. */
export interface HostileFile {
  readonly listed: ArchivedSnapshot
  readonly bytes: Buffer
  readonly path: string
}

const TIME = '2026-11-20T12:00:00Z'
const MB = 2 ** 20
const PATH = 'api/mkt/assets.json'

interface Lies {
  /** Members of the head. */
  readonly head?: object
  /** Changes the bytes before they are listed, so that every digest is right. */
  readonly forge?: (bytes: Buffer, directory: number) => void
  readonly comment?: string
}

/** Writes entries as a snapshot file, whatever is in them, and lists it with the digest that it has. */
function fileOf(entries: readonly (readonly [name: string, text: string])[], { head, forge, comment }: Lies = {}) {
  const zip = new ZipFile()
  for (const [path, text] of entries) zip.add(deflate({ path, text }, 9), comment ?? sha256Of(text))
  const from = zip.bytes
  const text = JSON.stringify({ generatedAt: TIME, staleAfter: TIME, snapshotId: 'a', limits: [], ...head })
  zip.add(deflate({ path: HEAD_ENTRY, text }, 9), sha256Of(text))
  const bytes = zip.end()
  forge?.(bytes, bytes.readUInt32LE(bytes.length - 6))
  return listedAs(bytes, bytes.subarray(from))
}

function listedAs(bytes: Buffer, tail: Buffer): HostileFile {
  const end = { bytes: tail.length, sha256: sha256Of(tail) }
  const file = snapshotFile(TIME, end)
  return {
    path: PATH,
    bytes,
    listed: { time: TIME, staleAfter: TIME, snapshotId: 'a', file, bytes: bytes.length, end },
  }
}

const small = [PATH, '{"ok":true}\n'] as const
/** Places in a line of the directory. */
const [COMPRESSED, SIZE, OFFSET] = [20, 24, 42]

/** Small files that would take much memory or disk, or that are not what their list says. */
export const HOSTILE_FILES: Readonly<Record<string, () => HostileFile>> = {
  'a document of 80 MB': () => fileOf([[PATH, 'x'.repeat(80 * MB)]]),
  'a document of 40 MB that says it has 10 bytes': () =>
    fileOf([[PATH, 'x'.repeat(40 * MB)]], {
      forge: (bytes, directory) => bytes.writeUInt32LE(10, directory + SIZE),
    }),
  'a small document that says it has 4 GB': () =>
    fileOf([small], { forge: (bytes, directory) => bytes.writeUInt32LE(0xffffffff, directory + SIZE) }),
  'documents of 10 MB in 10 KB each': () =>
    fileOf(Array.from({ length: 12 }, (_, at) => [`${PATH}${at}`, 'x'.repeat(10 * MB)] as const)),
  'entries that share their bytes': () =>
    fileOf([small, ['api/mkt/b.json', '{}\n'], ['api/mkt/c.json', '{}\n']], {
      forge(bytes, directory) {
        const second = directory + 46 + PATH.length + 64
        bytes.writeUInt32LE(bytes.readUInt32LE(directory + OFFSET), second + OFFSET)
      },
    }),
  'an entry that reaches into the directory': () =>
    fileOf([small], { forge: (bytes, directory) => bytes.writeUInt32LE(bytes.length, directory + COMPRESSED) }),
  'an entry outside of it': () =>
    fileOf([small], { forge: (bytes, directory) => bytes.writeUInt32LE(0xfffffff0, directory + OFFSET) }),
  'a directory that begins elsewhere': () =>
    fileOf([small], { forge: (bytes, directory) => bytes.writeUInt32LE(directory - 1, bytes.length - 6) }),
  'a directory line that is longer than the directory': () =>
    fileOf([small], { forge: (bytes, directory) => bytes.writeUInt16LE(0xffff, directory + 28) }),
  'a path that leads out of the folder': () => ({ ...fileOf([['../../evil.json', '{}\n']]), path: '../../evil.json' }),
  'an absolute path': () => ({ ...fileOf([['/etc/evil.json', '{}\n']]), path: '/etc/evil.json' }),
  'a hidden path': () => ({ ...fileOf([['.lock', '{}\n']]), path: '.lock' }),
  'a document with another digest': () => fileOf([small], { comment: sha256Of('another') }),
  'a document without a digest': () => fileOf([small], { comment: '' }),
  'another time than its list says': () => fileOf([small], { head: { generatedAt: '2026-11-19T12:00:00Z' } }),
  'another snapshot than its list says': () => fileOf([small], { head: { snapshotId: 'b' } }),
  'no head': () => {
    const zip = new ZipFile()
    zip.add(deflate({ path: PATH, text: small[1] }, 9), sha256Of(small[1]))
    const bytes = zip.end()
    return listedAs(bytes, bytes)
  },
  'an end that is no ZIP file': () => {
    const bytes = Buffer.from('no ZIP file, however long it may be')
    return listedAs(bytes, bytes)
  },
  'more bytes than there are': () => {
    const file = fileOf([small])
    return { ...file, listed: { ...file.listed, bytes: 9e15 } }
  },
}

/** Small files whose documents are whole, and fill a disk or leave its folder. */
export const DISK_BOMBS: Readonly<Record<string, () => HostileFile>> = {
  'a hundred thousand tiny documents': () =>
    fileOf([
      [
        'groups/a/000000.json',
        printBlock(
          Array.from({ length: 100_000 }, (_, at) => [`a/${String(at).padStart(6, '0')}.json`, '1\n'] as const),
        ),
      ],
    ]),
  'a `limit` variant without end': () =>
    fileOf([small], { head: { limits: [[PATH, Array.from({ length: 5000 }, () => 1)]] } }),
  'a path in a group that leads out of the folder': () =>
    fileOf([
      [
        'groups/a.json',
        printBlock([
          ['a.json', '1\n'],
          ['../../evil.json', '1\n'],
        ]),
      ],
    ]),
}
