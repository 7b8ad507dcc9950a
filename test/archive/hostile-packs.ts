import { gzipSync } from 'node:zlib'
import { sha256Of } from '../../src/contract/digest.ts'
import { type ArchivedPack, packFile } from '../../src/contract/archive.ts'
import { printFooter } from '../../src/contract/pack.ts'

/** A pack that someone hands in, as the list of its day names it, and the path of a document in it. */
export interface HostilePack {
  readonly listed: ArchivedPack
  readonly bytes: Buffer
  readonly path: string
}

const TIME = '2026-11-20T12:00:00Z'
const MB = 2 ** 20
const PATH = 'api/mkt/assets.json'

/** The parts of a group: its documents, shapes, lines by kind, places of columns, and columns. */
interface GroupText {
  readonly recipes: readonly string[]
  readonly sha256?: string
  readonly shapes: string
  readonly lines: string
  readonly places?: string
  readonly columns?: string
}

const groupText = ({ recipes, sha256 = 'x', shapes, lines, places = '0', columns = '1' }: GroupText): string =>
  [recipes.map((recipe) => `${sha256}\t${recipe}`).join('\n'), shapes, lines, places, columns].join('\u001D')

/** Packs groups, whatever is in them. */
function packed(groups: readonly string[], members: object = {}): HostilePack {
  const parts = groups.map((text) => gzipSync(text))
  const partOf = (bytes: Buffer) => ({ bytes: bytes.length, sha256: sha256Of(bytes) })
  const index = gzipSync(
    JSON.stringify({
      format: 1,
      generatedAt: TIME,
      staleAfter: TIME,
      snapshotId: 'a',
      groups: parts.map(partOf),
      paths: [PATH],
      homes: [0],
      shapes: [],
      limits: [],
      ...members,
    }),
  )
  const part = partOf(index)
  const bytes = Buffer.concat([...parts, index, Buffer.from(printFooter(part))])
  const file = packFile(TIME, part)
  return {
    path: PATH,
    bytes,
    listed: { time: TIME, staleAfter: TIME, snapshotId: 'a', file, bytes: bytes.length, index: part },
  }
}

const one = (group: GroupText, members?: object): HostilePack => packed([groupText(group)], members)

const times = (text: string, count: number): string => Array.from({ length: count }, () => text).join(' ')

/** A line of 1 MB, and the document that has it 20 times. */
const LONG = 'x'.repeat(MB)
const twenty = {
  recipes: [times('=k 0', 20)],
  sha256: Buffer.from(sha256Of(`${Array.from({ length: 20 }, () => LONG).join('\n')}\n`), 'hex')
    .toString('base64')
    .replace('=', ''),
  shapes: LONG,
  lines: 'k\n0',
}

/** Small packs that would take much memory or disk, or that are not what their list says. */
export const HOSTILE_PACKS: Readonly<Record<string, () => HostilePack>> = {
  'a group of 40 MB': () => packed(['x'.repeat(40 * MB)]),
  'a long line that a kind repeats': () =>
    one({ recipes: ['=k 0'], shapes: 'x'.repeat(8 * MB), lines: `k\n${times('0', 500_000)}` }),
  'a long line that a document repeats': () => one({ recipes: [times('=k 0', 50_000)], shapes: LONG, lines: 'k\n0' }),
  'empty lines without end': () =>
    one({ recipes: [times('=k 0+400000', 100_000)], shapes: '', lines: `k\n${times('0', 400_000)}` }),
  'a column that many lines share': () =>
    one({
      recipes: ['=k 0'],
      shapes: Array.from({ length: 50_000 }, (_, at) => `"m${at}":\u0001`).join('\n'),
      lines: `k\n${Array.from({ length: 50_000 }, (_, at) => at + 1).join(' ')}`,
      places: times('0', 50_000),
      columns: LONG,
    }),
  'a slug in a million places': () =>
    one({
      recipes: ['=k 0'],
      shapes: `"slug":"${'a'.repeat(4 * MB)}"${'\u0002'.repeat(900_000)}`,
      lines: 'k\n0',
    }),
  'a line nested a million deep': () => one({ recipes: ['=k 0'], shapes: `${'['.repeat(MB)}\u0001`, lines: 'k\n0' }),
  'long names of many values': () =>
    one({ recipes: ['=k 0'], shapes: `"${LONG}":${'\u0001'.repeat(500_000)}`, lines: 'k\n0' }),
  'a long name of a kind': () =>
    one({
      recipes: ['=k 0'],
      shapes: Array.from({ length: 50_000 }, (_, at) => `"m${at}":\u0001`).join(''),
      lines: `${LONG}\n0`,
    }),
  'a million values': () => one({ recipes: ['=k 0'], shapes: 'x', lines: 'k\n0', columns: '\n'.repeat(12 * MB) }),
  'another time than its list says': () => one(twenty, { generatedAt: '2026-11-19T12:00:00Z' }),
  'another snapshot than its list says': () => one(twenty, { snapshotId: 'b' }),
  'a part that is not gzipped': () => {
    const pack = one(twenty)
    const index = Buffer.from('no pack')
    const part = { bytes: index.length, sha256: sha256Of(index) }
    const bytes = Buffer.concat([index, Buffer.from(printFooter(part))])
    return { ...pack, bytes, listed: { ...pack.listed, bytes: bytes.length, index: part, file: packFile(TIME, part) } }
  },
  'more bytes than there are': () => {
    const pack = one(twenty)
    return { ...pack, listed: { ...pack.listed, bytes: 9e15 } }
  },
}

const names = Array.from({ length: 1200 }, (_, at) => `a/${String(at).padStart(5, '0')}.json`)

/** Small packs whose documents are whole, and fill a disk. */
export const DISK_BOMBS: Readonly<Record<string, () => HostilePack>> = {
  'a thousand documents of 20 MB': () => ({
    ...one({ ...twenty, recipes: names.map(() => times('=k 0', 20)) }, { paths: names, homes: names.map(() => 0) }),
    path: names[0] ?? '',
  }),
  'a `limit` variant without end': () => one(twenty, { limits: [[PATH, Array.from({ length: 5000 }, () => 1)]] }),
}
