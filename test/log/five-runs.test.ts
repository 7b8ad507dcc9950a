import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'

import { documentAt } from '../../scripts/prove.ts'
import { createVerifier } from '../../src/client/verified.ts'
import { sha256Of } from '../../src/contract/digest.ts'
import { provingFiles } from '../../src/contract/archived-proof.ts'
import { LOG, type LogKey, parseProof, printProof } from '../../src/contract/log.ts'
import { parsePolicy } from '../../src/contract/log-policy.ts'
import { provenDocument } from '../../src/contract/log-proof.ts'
import { isPart, isSection } from '../../src/contract/manifest-parts.ts'
import { printKey } from '../../src/contract/signed-note.ts'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { openPast } from '../../src/delivery/read-archive.ts'
import { snapshotDocuments } from '../../src/delivery/snapshot-documents.ts'
import { Tree } from '../../src/tree/tree.ts'
import { WORK, inOrderOfPublication } from '../../src/tree/layout.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { bytesAt, filesBelow } from '../../src/tree/reader.ts'
import { type LogSigner, lastEntry, nextLog, signerOf } from '../../src/tree/run-log.ts'
import { fileErrors } from '../check/findings.ts'
import { NOON, leanRun, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { manifestTexts, rowsIn, textsOf } from '../tree/manifest-texts.ts'
import { faultOf } from './independent.ts'

const HALF_HOUR = 1_800_000
const RUNS = 5
const FILE = 'api/mkt/assets/bitcoin.json'
const PAST = 'api/mkt/closes/2026-11-20.json'
const signer = signerOf('log.example/prices', Buffer.alloc(32, 7))
const other = signerOf('log.example/prices', Buffer.alloc(32, 8))
const key = printKey(signer.key)
const now = NOON + (RUNS - 1) * HALF_HOUR + 60_000

const root = newFolder()
/** The tree after its second run, and after its fourth. */
const [second, fourth] = [newFolder(), newFolder()]
const checkpoints: string[] = []
/** The proof of each run. */
const proofs: string[] = []
const copyOf = (tree: string) => {
  const copy = newFolder()
  cpSync(tree, copy, { recursive: true, preserveTimestamps: true })
  return copy
}
const runAt = (tree: string, run: number, signers: readonly LogSigner[] = [signer]) =>
  leanRun(tree, { now: NOON + run * HALF_HOUR, signers, checkpoint: true })

beforeAll(async () => {
  for (let run = 0; run < RUNS; run++) {
    // eslint-disable-next-line no-await-in-loop -- one after the other
    await runAt(root, run)
    checkpoints.push(readFileSync(join(root, LOG.checkpoint), 'utf8'))
    proofs.push(readFileSync(join(root, LOG.proof), 'utf8'))
    const kept = { 1: second, 3: fourth }[run]
    if (kept) cpSync(root, kept, { recursive: true, preserveTimestamps: true })
  }
}, 60_000)

const readFrom = (tree: string) => async (file: string) => bytesAt(join(tree, file))
/** Proves a document of a tree as `verify` does. */
const prove = (tree: string, { file = FILE, seen = null, at = now, policy = null }: Partial<Asking> = {}) =>
  provenDocument(file, { read: readFrom(tree), now: at, policy: policy === null ? null : parsePolicy(policy), seen })
interface Asking {
  readonly file: string
  readonly seen: string | null
  readonly at: number
  readonly policy: string | null
}

/** The verifier of the client for a tree on a site. */
const clientOf = (tree: string, seen: string, at: number) =>
  createVerifier({
    site: 'https://prices.example/base/',
    fetch: async (input) => {
      const bytes = bytesAt(join(tree, new Request(input).url.slice('https://prices.example/base/'.length)))
      return new Response(bytes && new Uint8Array(bytes), { status: bytes ? 200 : 404 })
    },
    store: { get: () => seen, set: () => {} },
    now: () => at,
  })

/** What three verifiers say of a document: that of `verify`, the client, and one that shares no code with them. */
async function verdicts(
  tree: string,
  { file = FILE, run = 2, at = now }: { file?: string; run?: number; at?: number } = {},
) {
  const faultIn = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof Error && 'fault' in error ? error.fault : error),
    )
  const seen = proofs[run] ?? ''
  const client = clientOf(tree, seen, at)
  return {
    verify: await faultIn(prove(tree, { file, seen, at })),
    client: await faultIn(client(file)),
    independent: await faultOf(file, readFrom(tree), { key, seen: checkpoints[run] ?? '', now: at }),
  }
}
const all = (fault: string | null, independent: string | null = fault) => ({
  verify: fault,
  client: fault,
  independent,
})

/** Logs the tree in a folder as it is now, as its publisher can. */
function log(tree: string, signers: readonly LogSigner[] = [signer], keys?: readonly LogKey[]) {
  const entry = lastEntry(tree)
  if (!entry) throw new Error('no entry')
  const [manifest, index] = ['api/mkt/manifest.json', 'api/mkt.json'].map((file) => {
    return sha256Of(bytesAt(join(tree, file)) ?? '')
  })
  const files = nextLog(
    tree,
    { ...entry, ...(keys && { keys }), manifest: manifest ?? '', index: index ?? '' },
    { manifest: readFileSync(join(tree, 'api/mkt/manifest.json'), 'utf8'), signers },
  )
  for (const { path, content } of files) writeFileSync(join(tree, path), content)
}

/** Rewrites a past document with right digests, as a publisher can. */
function rewrite(tree: string, file: string) {
  const text = readFileSync(join(tree, file), 'utf8').replace(/"close_usd":\d/, '"close_usd":9')
  writeFileSync(join(tree, file), text)
  const own = { bytes: Buffer.byteLength(text), sha256: sha256Of(text) }
  const rows = rowsIn(textsOf(tree)).map((row) => (row.path === file ? { ...row, ...own } : row))
  for (const [name, body] of manifestTexts(textsOf(tree), rows)) writeFileSync(join(tree, name), body)
}

describe('five runs', () => {
  it('are five entries, of which each checkpoint is a beginning of the next', async () => {
    expect(checkpoints.map((text) => text.split('\n')[1])).toEqual(['1', '2', '3', '4', '5'])
    for (const run of checkpoints.keys()) expect(await verdicts(root, { run })).toEqual(all(null))
    expect(await fileErrors(root)).toEqual([])
  })

  it.each([FILE, 'log/keys.json', 'openapi.json', 'api/mkt/assets.json', 'api/mkt/collector.json'])(
    'prove %s',
    async (file) => {
      expect(await verdicts(root, { file })).toEqual(all(null))
    },
  )

  it('prove the index and the manifest by the entry itself', async () => {
    for (const file of ['api/mkt.json', 'api/mkt/manifest.json'])
      expect(await prove(root, { file })).toMatchObject({ run: RUNS, signedBy: ['log.example/prices'] })
  })

  it('are carried by a checkpoint and by a site', async () => {
    for (const isSite of [false, true]) {
      const [source, restored] = [copyOf(root), newFolder()]
      if (isSite) rmSync(join(source, 'state'), { recursive: true })
      const place = placeAt(source, { timeoutMs: 1000, attempts: 1, pause: async () => {} })
      const next = { now: NOON + RUNS * HALF_HOUR, signers: [signer], from: [place] }
      expect(await leanRun(restored, next)).toMatchObject({ outcome: 'published' })
      const files = filesBelow(restored, 'log').filter((file) => !file.includes('.p/6'))
      expect(files.toSorted()).toEqual(filesBelow(root, 'log').toSorted())
      expect(await verdicts(restored, { run: 4, at: next.now })).toEqual(all(null))
    }
  })
})

describe('a publication that ends between two of its steps', () => {
  const bytesIn = (tree: string, file: string) => bytesAt(join(tree, file))
  const isSame = (file: string, a: string, b: string) => bytesIn(a, file)?.equals(bytesIn(b, file) ?? Buffer.alloc(0))
  const isTile = (file: string) => file.startsWith('log/tile/')
  const steps = (): string[] =>
    filesBelow(root, '')
      .filter((file) => !file.startsWith('state/') && !isSame(file, root, fourth))
      .toSorted(inOrderOfPublication)

  it('has a checkpoint only of a tree that is there', () => {
    const [tree, files] = [copyOf(fourth), steps()]
    for (const [at, step] of files.entries()) {
      mkdirSync(dirname(join(tree, step)), { recursive: true })
      cpSync(join(root, step), join(tree, step))
      const isSigned = isSame(LOG.checkpoint, tree, root) || isSame(LOG.proof, tree, root)
      const missing = files.slice(at + 1).filter((file) => file !== LOG.checkpoint && file !== LOG.proof)
      if (isSigned) expect(missing).toEqual([])
    }
    expect(files.slice(-2).toSorted()).toEqual([LOG.checkpoint, LOG.proof])
    expect(files.findLastIndex(isTile)).toBeLessThan(files.length - 2)
  })

  it.each([0, 0.5, 1])('is completed by the next run, which adds one entry: %s of the steps done', async (share) => {
    const [tree, files] = [copyOf(fourth), steps()]
    const done = Math.floor(files.length * share)
    for (const [at, file] of files.entries()) {
      const place = join(tree, at < done ? '' : WORK.staging, file)
      mkdirSync(dirname(place), { recursive: true })
      cpSync(join(root, file), place, { preserveTimestamps: true })
    }
    const put = files.map((file) => [file, sha256Of(bytesIn(root, file) ?? '')])
    writeFileSync(join(tree, WORK.journal), JSON.stringify({ put, drop: [] }))
    await runAt(tree, RUNS)
    expect(readFileSync(join(tree, LOG.checkpoint), 'utf8').split('\n')[1]).toBe(String(RUNS + 1))
    expect(await verdicts(tree, { run: 4, at: now + HALF_HOUR })).toEqual(all(null))
    expect(await fileErrors(tree, now + HALF_HOUR)).toEqual([])
  })

  it('is forgotten where its journal was not written: the run that comes next has its place', async () => {
    const tree = copyOf(fourth)
    for (const file of steps()) cpSync(join(root, file), join(tree, WORK.staging, file))
    await runAt(tree, RUNS)
    expect(readFileSync(join(tree, LOG.checkpoint), 'utf8').split('\n')[1]).toBe(String(RUNS))
    expect(await verdicts(tree, { run: 3, at: now + HALF_HOUR })).toEqual(all(null))
  })
})

describe('the past, rewritten', () => {
  it('in a document alone is found by its digest', async () => {
    const tree = copyOf(root)
    writeFileSync(join(tree, FILE), `${readFileSync(join(tree, FILE), 'utf8')} `)
    expect(await verdicts(tree)).toEqual(all('differs', 'another document'))
  })

  it('with right digests, and with no new entry, is found by the entry', async () => {
    const tree = copyOf(root)
    rewrite(tree, PAST)
    expect(await verdicts(tree, { file: PAST })).toEqual(all('differs', 'another part'))
  })

  it('in the log, signed by its own key, is found by whoever saw it before, with both checkpoints', async () => {
    const tree = copyOf(second)
    rewrite(tree, PAST)
    for (let run = 2; run < RUNS; run++) log(tree)
    expect(await verdicts(tree, { file: PAST })).toEqual(all('rewritten'))
    // Who sees this log for the first time cannot know of the other.
    const at = NOON + HALF_HOUR + 60_000
    expect(await verdicts(tree, { file: PAST, run: 1, at })).toEqual(all(null))
    await expect(prove(tree, { file: PAST, seen: proofs[2] ?? null })).rejects.toMatchObject({
      checkpoints: [checkpoints[2], readFileSync(join(tree, LOG.checkpoint), 'utf8')],
    })
  })
})

/** What somebody does to a site, and what it is called. */
const BAD: readonly (readonly [
  what: string,
  harm: (tree: string) => void,
  fault: string,
  independent: string | null,
])[] = [
  [
    'a removed run',
    (tree) => cpSync(join(second, 'log'), join(tree, 'log'), { recursive: true }),
    'rolled_back',
    'rolled back',
  ],
  [
    'an old document with its old proof, presented as new',
    (tree) => {
      rmSync(tree, { recursive: true })
      cpSync(second, tree, { recursive: true })
    },
    'rolled_back',
    'rolled back',
  ],
  [
    'a second log with the same key',
    (tree) => {
      rmSync(join(tree, 'log'), { recursive: true })
      cpSync(join(second, 'log'), join(tree, 'log'), { recursive: true })
      for (let run = 2; run < RUNS; run++) log(tree)
    },
    'rewritten',
    'rewritten',
  ],
  ['a truncated tile', (tree) => writeFileSync(join(tree, 'log/tile/0/000.p/5'), 'x'.repeat(40)), 'damaged', null],
  [
    'a proof that is cut off',
    (tree) => writeFileSync(join(tree, 'log/latest.tlog-proof'), 'c2sp.org/tlog-proof@v1\n'),
    'damaged',
    'another origin',
  ],
  ['no proof', (tree) => rmSync(join(tree, 'log/latest.tlog-proof')), 'no_log', 'no proof'],
]

describe('a site with', () => {
  it.each(BAD)('%s is not believed', async (_, harm, fault, independent) => {
    const tree = copyOf(root)
    harm(tree)
    expect(await verdicts(tree)).toEqual(all(fault, independent))
  })

  /** Changes the proof of a tree. */
  const withProof = (edit: (proof: string) => string) => {
    const tree = copyOf(root)
    const file = join(tree, 'log/latest.tlog-proof')
    writeFileSync(file, edit(readFileSync(file, 'utf8')))
    return tree
  }

  it('a changed entry is not believed', async () => {
    const tree = withProof((text) => {
      const proof = parseProof(text)
      if (!proof) throw new Error('no proof')
      return printProof({ ...proof, leaf: proof.leaf.replace('2026', '2027') })
    })
    expect(await verdicts(tree)).toEqual(all('not_included', 'not included'))
  })

  it('another origin is not believed', async () => {
    const tree = withProof((text) => text.replace('\nlog.example/prices\n', '\nlog.example/others\n'))
    expect(await verdicts(tree)).toEqual(all('unsigned', 'another origin'))
  })

  it('a changed signature is not believed, and lines of other keys are ignored', async () => {
    const forged = withProof((text) =>
      text.replace(
        /(— log\.example\/prices \S{20})./,
        (line, start: string) => start + (line.endsWith('A') ? 'B' : 'A'),
      ),
    )
    expect(await verdicts(forged)).toEqual(all('unsigned', 'not signed'))
    const line = `— witness.example/w1 ${Buffer.alloc(76, 1).toString('base64')}\n— log.example/prices ${Buffer.alloc(2500, 2).toString('base64')}\n`
    expect(await verdicts(withProof((text) => text + line))).toEqual(all(null))
  })

  it('a run that is stale, or ahead of the clock, is not believed', async () => {
    expect(await verdicts(root, { at: now + 30 * 86_400_000 })).toEqual(all('stale'))
    expect(await verdicts(root, { at: now - 600_000 })).toEqual(all('ahead'))
  })
})

describe('an archived run', () => {
  /** Archives a tree, and returns what is proven of a document of it by the log of the site. */
  const archived = async (tree: string, file = FILE, edit = (text: string) => text) => {
    const site = copyOf(root)
    const store = folderStore(join(site, 'archive'), () => NOON)
    await addSnapshot(store, snapshotDocuments(new Tree(tree)), { halfHourlyDays: 1, hourlyDays: 1 })
    const { read } = await openPast(store, now)
    const past = await provingFiles(async (path) => {
      const text = await read(path)
      return text !== null && path === file ? edit(text) : text
    })
    const reader = { read: readFrom(site), now, policy: null, seen: proofs[1] ?? null }
    const proven = await provenDocument(file, reader, past)
    const client = await clientOf(site, proofs[1] ?? '', now)(file, now)
    expect(client).toMatchObject({ run: proven.run, text: Buffer.from(proven.bytes).toString() })
    return proven
  }

  it.each([FILE, 'api/mkt/collector.json', 'api/mkt.json'])('proves %s as it was', async (file) => {
    expect(await archived(second, file)).toMatchObject({
      run: 2,
      signedBy: ['log.example/prices'],
      bytes: new Uint8Array(bytesAt(join(second, file)) ?? []),
    })
  })

  it('that was never published is not believed, though its own log is consistent', async () => {
    const tree = copyOf(second)
    await runAt(tree, 3)
    await expect(archived(tree)).rejects.toMatchObject({ fault: 'rewritten' })
  })

  it('whose document was changed is not believed', async () => {
    await expect(archived(second, FILE, (text) => `${text} `)).rejects.toMatchObject({ fault: 'differs' })
  })

  it('without a proof is said to have none', async () => {
    const tree = copyOf(second)
    rmSync(join(tree, 'log'), { recursive: true })
    await expect(archived(tree)).rejects.toMatchObject({ fault: 'no_log' })
  })
})

describe('a key', () => {
  it('that another one replaced is followed for thirty days, and signs nothing after them', async () => {
    const tree = copyOf(root)
    await runAt(tree, RUNS, [signer, other])
    const at = NOON + RUNS * HALF_HOUR
    const known = proofs[4] ?? ''
    const { entry, seen } = await prove(tree, { seen: known, at })
    expect(entry.keys.map(({ until }) => until)).toEqual(['2026-12-20T14:30:00Z', null])
    expect(JSON.parse(readFileSync(join(tree, LOG.keys), 'utf8'))).toEqual({ keys: entry.keys })
    const later = NOON + 31 * 86_400_000
    await leanRun(tree, { now: later, signers: [signer, other], accept: new Set(['history_fall']) })
    expect(await prove(tree, { seen, at: later })).toMatchObject({ signedBy: ['log.example/prices'] })
    await expect(prove(tree, { seen: known, at: later })).rejects.toMatchObject({ fault: 'unsigned' })
    log(tree, [signer], [])
    await expect(prove(tree, { seen, at: later })).rejects.toMatchObject({ fault: 'retired_key' })
  })

  it('is not needed: a log without one is unsigned, and its past cannot be rewritten unseen either', async () => {
    const tree = newFolder()
    await runAt(tree, 0, [])
    const first = await prove(tree, { at: NOON })
    expect(first).toMatchObject({ run: 1, signedBy: [] })
    await runAt(tree, 1, [])
    expect(await prove(tree, { seen: first.seen, at: NOON + HALF_HOUR })).toMatchObject({ run: 2 })
    rmSync(join(tree, 'log'), { recursive: true })
    cpSync(join(second, 'log'), join(tree, 'log'), { recursive: true })
    await expect(prove(tree, { seen: first.seen, at: NOON })).rejects.toMatchObject({ fault: 'rewritten' })
  })
})

describe('a policy', () => {
  it('says whose signatures count', async () => {
    const witness = printKey(signerOf('witness.example/w1', Buffer.alloc(32, 9)).key)
    expect(await prove(root, { policy: `log ${key}\nquorum none\n` })).toMatchObject({ run: RUNS })
    await expect(prove(root, { policy: `log ${printKey(other.key)}\nquorum none\n` })).rejects.toMatchObject({
      fault: 'unsigned',
    })
    await expect(prove(root, { policy: `log ${key}\nwitness w ${witness}\nquorum w\n` })).rejects.toMatchObject({
      fault: 'quorum',
    })
  })
})

it('a damaged log is never begun anew', () => {
  const times = { generatedAt: '', staleAfter: '' }
  const entry = { manifest: '', index: '', inputs: '', commit: null, methodology: '9', ...times, keys: [] }
  for (const file of ['log/tile/0/000.p/5', 'log/tile/entries/000.p/5', 'log/checkpoint']) {
    const copy = copyOf(root)
    expect(nextLog(copy, entry, { manifest: '', signers: [] })).toHaveLength(4)
    writeFileSync(join(copy, file), 'x')
    expect(nextLog(copy, entry, { manifest: '', signers: [] })).toEqual([])
    rmSync(join(copy, file))
    expect(nextLog(copy, entry, { manifest: '', signers: [] })).toEqual([])
  }
})

it('proves any document of the sample in three files of at most twelve kilobytes', async () => {
  const tree = await sharedSampleTree()
  const sizeOf = (file: string) => gzipSync(bytesAt(join(tree, file)) ?? '').length
  const lists = rowsIn(textsOf(tree)).filter(({ path }) => isPart(path))
  const [parts = 0, sections = 0] = [false, true].map((is) =>
    Math.max(0, ...lists.flatMap(({ path }) => (isSection(path) === is ? sizeOf(path) : []))),
  )
  expect(parts + sections + sizeOf('log/latest.tlog-proof')).toBeLessThan(12 * 1024)
})

it.each([
  [
    'https://prices.example/base/api/mkt/history/bitcoin?days=30',
    'https://prices.example/base/',
    'api/mkt/history/bitcoin/days=30.json',
  ],
  ['https://prices.example/api/mkt/assets/bitcoin', 'https://prices.example/', 'api/mkt/assets/bitcoin.json'],
  ['https://prices.example/api/mkt', 'https://prices.example/', 'api/mkt.json'],
  ['https://prices.example/feed.xml', 'https://prices.example/', 'feed.xml'],
  ['api/mkt/assets.csv', 'dist', 'api/mkt/assets.csv'],
])('%s is a file of a tree', (address, tree, file) => {
  expect(documentAt(address, 'dist')).toEqual({ tree, file })
})
