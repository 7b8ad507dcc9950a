import { createHash, createPublicKey, verify } from 'node:crypto'

// Written from c2sp.org (signed-note, tlog-checkpoint, tlog-tiles, tlog-proof) and RFC 9162 alone: it shares no code with the
// program, so that both can only be wrong in the same way by accident.

/** Reads a file of a site; null if there is none. */
type Read = (file: string) => Promise<Buffer | null>

/** What a verifier knows before it asks: the public key as `name+id+base64`, and the last checkpoint that it saw. */
interface Known {
  readonly key: string
  readonly seen: string | null
  readonly now: number
}

const sha = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

/** Merkle Tree Hash, from the leaves up, level by level: an odd node goes up unchanged. */
export function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha('')
  let level = leaves.map((leaf) => sha(LEAF, leaf))
  while (level.length > 1) {
    const above: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]]
      if (left) above.push(right ? sha(NODE, left, right) : left)
    }
    level = above
  }
  return level[0] ?? sha('')
}

/** RFC 9162, 2.1.3.2. */
export function includes(leaf: Buffer, index: number, size: number, path: readonly Buffer[], root: Buffer): boolean {
  if (index >= size) return false
  let [fn, sn, hash] = [index, size - 1, sha(LEAF, leaf)]
  for (const p of path) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      hash = sha(NODE, p, hash)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else hash = sha(NODE, hash, p)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && hash.equals(root)
}

interface Checkpoint {
  readonly body: string
  readonly origin: string
  readonly size: number
  readonly root: Buffer
  readonly lines: readonly string[]
}

function checkpointIn(note: string): Checkpoint {
  const end = note.lastIndexOf('\n\n')
  const body = note.slice(0, end + 1)
  const [origin = '', size = '', root = ''] = body.split('\n')
  return {
    body,
    origin,
    size: Number(size),
    root: Buffer.from(root, 'base64'),
    lines: note
      .slice(end + 2)
      .split('\n')
      .filter((line) => line !== ''),
  }
}

/** Whether a key signed a note, by the line with its name and id. Lines of other keys say nothing. */
export function isSignedBy(key: string, note: string): boolean {
  const [name = '', id = '', ...rest] = key.split('+')
  const raw = Buffer.from(rest.join('+'), 'base64')
  if (raw[0] !== 1 || sha(`${name}\n`, raw).toString('hex').slice(0, 8) !== id) return false
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw.subarray(1)])
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const { body, lines } = checkpointIn(note)
  return lines.some((line) => {
    const [dash, signer, encoded = ''] = line.split(' ')
    const signature = Buffer.from(encoded, 'base64')
    const isOwn = dash === '—' && signer === name && signature.toString('hex', 0, 4) === id
    return isOwn && verify(null, Buffer.from(body), publicKey, signature.subarray(4))
  })
}

const pathOf = (index: number): string => {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.../g) ?? []
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/')
}

/** Reads every entry of a log. */
export async function entriesOf(size: number, read: Read): Promise<Buffer[]> {
  const entries: Buffer[] = []
  for (let index = 0; index * 256 < size; index++) {
    const width = Math.min(256, size - index * 256)
    // eslint-disable-next-line no-await-in-loop -- in order
    const found = await read(`log/tile/entries/${pathOf(index)}${width === 256 ? '' : `.p/${width}`}`)
    const bundle = found ?? Buffer.alloc(0)
    for (let at = 0; at < bundle.length;) {
      const length = bundle.readUInt16BE(at)
      entries.push(bundle.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  return entries
}

const hex = (bytes: Buffer | null): string => (bytes === null ? 'none' : sha(bytes).toString('hex'))
const textOf = async (read: Read, file: string): Promise<string> => (await read(file))?.toString('utf8') ?? ''
interface Row {
  readonly path: string
  readonly from?: string
  readonly sha256: string
}
/** The row of a file, or else that of the last list that begins before it. */
function rowFor(list: Buffer, file: string): Row | undefined {
  const { rows: listed, sha256 } = JSON.parse(list.toString())
  const rows: readonly Row[] = listed ?? [{ path: 'api/mkt/collector.json', sha256: sha256.collector }]
  return rows.find(({ path }) => path === file) ?? rows.filter(({ from }) => from !== undefined && from <= file).at(-1)
}

/** Returns what is wrong with a document of a site, or null if all of it is proven. */
export async function faultOf(file: string, read: Read, { key, seen, now }: Known): Promise<string | null> {
  const proof = await textOf(read, 'log/latest.tlog-proof')
  const [head = '', ...rest] = proof.split('\n\n')
  const note = rest.join('\n\n')
  const [version, extra = '', index = '', ...path] = head.split('\n')
  if (version !== 'c2sp.org/tlog-proof@v1') return 'no proof'
  const { origin, size, root } = checkpointIn(note)
  if (origin !== key.split('+')[0]) return 'another origin'
  if (!isSignedBy(key, note)) return 'not signed'
  const data = Buffer.from(extra.slice('extra '.length), 'base64')
  const entry = data.subarray(0, data.indexOf('\n'))
  const place = Number(index.slice('index '.length))
  const hashes = path.map((line) => Buffer.from(line, 'base64'))
  if (!includes(entry, place, size, hashes, root)) return 'not included'
  if (place !== size - 1) return 'an older run'
  if (seen !== null) {
    const before = checkpointIn(seen)
    if (before.size > size) return 'rolled back'
    const entries = await entriesOf(size, read)
    if (!treeHash(entries).equals(root)) return 'entries of another log'
    if (!treeHash(entries.slice(0, before.size)).equals(before.root)) return 'rewritten'
  }
  const { manifest, index: indexDigest, generatedAt, staleAfter } = JSON.parse(entry.toString())
  let [list, digest]: [Buffer | null, string] =
    file === 'api/mkt/collector.json'
      ? [await read('api/mkt.json'), indexDigest]
      : [data.subarray(data.indexOf('\n') + 1), manifest]
  for (let path = ''; path !== file;) {
    if (hex(list) !== digest) return path === '' ? 'another manifest' : 'another part'
    const row = rowFor(list ?? Buffer.alloc(0), file)
    if (row === undefined) return 'no such document'
    ;({ path, sha256: digest } = row)
    // eslint-disable-next-line no-await-in-loop -- a list names the next one
    list = await read(path)
  }
  if (hex(list) !== digest) return 'another document'
  if (now > Date.parse(staleAfter)) return 'stale'
  return Date.parse(generatedAt) > now + 300_000 ? 'ahead' : null
}

/** RFC 9162, 2.1.4.2. */
export function continues(
  { before, now }: { readonly before: number; readonly now: number },
  oldRoot: Buffer,
  newRoot: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (before === now) return proof.length === 0 && oldRoot.equals(newRoot)
  const path = Number.isInteger(Math.log2(before)) ? [oldRoot, ...proof] : [...proof]
  let [fn, sn] = [before - 1, now - 1]
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  const [first, ...rest] = path
  if (!first) return false
  let [fr, sr] = [first, first]
  for (const c of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [sha(NODE, c, fr), sha(NODE, c, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else sr = sha(NODE, sr, c)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && fr.equals(oldRoot) && sr.equals(newRoot)
}
