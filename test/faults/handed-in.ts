import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { settingsWith } from '../../scripts/settings.ts'
import { createClient } from '../../src/client/client.ts'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { s3Store } from '../../src/delivery/s3.ts'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { decodeBundle, encodeBundle } from '../../src/core/sources/bundle.ts'
import { mergeBundles } from '../../src/core/sources/merge-recordings.ts'
import { d1Queue, overApi } from '../../src/requests/d1-queue.ts'
import { entriesOfFolder } from '../../src/core/registry/asset-files.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { safeSvg } from '../../src/core/registry/safe-svg.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { placeAt } from '../../src/core/tree/remote.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { readState } from '../../src/core/tree/state.ts'
import { hostOf, ownHost } from '../client/hosts.ts'
import { NOON, NO_REQUESTS, copyLeanTree, leanRegistry, leanRun, newFolder } from '../sample-tree.ts'
import { observedRun, readOf } from '../sources/bundles.ts'
import { once } from '../once.ts'
import { recordOf } from '../service/world.ts'

/** A reader of files or answers of others: samples that it takes, and what it does with one that was changed. */
export interface Reader {
  readonly samples: readonly Buffer[]
  /** Reads a changed sample. It may throw one of the typed errors that commands and the client print as a sentence. */
  readonly use: (bytes: Buffer, sample: number) => unknown
  readonly close?: () => unknown
}

const HALF_HOUR = 1_800_000
const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, null, 1))
const OPTIONS = { timeoutMs: 20_000, attempts: 1, pause: async () => {} }

type Files = ReadonlyMap<string, Buffer>
const filesIn = (root: string): Files =>
  new Map(filesBelow(root, '').map((file) => [file, readFileSync(join(root, file))] as const))

/** Files that are made to agree with one change. A change may make two of them state the digest of each other. */
const MOST_RESEALED = 100

/** Returns files with one changed, and every file and name that states its digest agreeing with it. */
function agreeing(files: Files, path: string, bytes: Buffer): Files {
  const all = new Map(files)
  const changed: (readonly [string, Buffer, Buffer])[] = [[path, files.get(path) ?? bytes, bytes]]
  let left = MOST_RESEALED
  for (let one = changed.pop(); one !== undefined && left > 0; one = changed.pop(), left--) {
    const [file, before, after] = one
    all.set(file, after)
    const [old, fresh] = [sha256Of(before), sha256Of(after)]
    for (const [other, content] of new Map(all)) {
      const named = other.replace(old, fresh).replace(old.slice(0, 16), fresh.slice(0, 16))
      if (named !== other) {
        all.delete(other)
        all.set(named, content)
      }
      if (other === file || !content.includes(old)) continue
      const resealed = content
        .toString('latin1')
        .replaceAll(old, fresh)
        .replaceAll(file, file.replace(old.slice(0, 16), fresh.slice(0, 16)))
      changed.push([named, content, Buffer.from(resealed, 'latin1')])
    }
  }
  return all
}

function written(files: Files): string {
  const root = newFolder()
  for (const [file, bytes] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), bytes)
  }
  return root
}

async function within<Value>(files: Files, use: (root: string) => Promise<Value>): Promise<Value> {
  const root = written(files)
  try {
    return await use(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const ofFolder = (
  files: Files,
  use: (files: Files) => unknown,
  isSample: (file: string) => boolean = () => true,
): Reader => {
  const own = [...files].filter(([file]) => isSample(file))
  return {
    samples: own.map(([, bytes]) => bytes),
    use: (bytes, sample) => use(agreeing(files, own[sample]?.[0] ?? '', bytes)),
  }
}

/** A `fetch` from files, with ranges. */
const fetchFrom =
  (files: Files): typeof fetch =>
  async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const bytes = files.get(pathname.slice(1))
    if (bytes === undefined) return new Response('{}', { status: 404 })
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '') ?? []
    return from === undefined
      ? new Response(new Uint8Array(bytes), { headers: { 'content-type': 'application/json' } })
      : new Response(new Uint8Array(bytes.subarray(Number(from), Number(to) + 1)), { status: 206 })
  }

/** A tree with a day long past. */
const treeWithPast = (): Promise<string> =>
  once('with-past', async (root) => {
    await leanRun(root, { count: 3, now: NOON - 10 * 86_400_000, history: NO_REQUESTS })
    await leanRun(root, { count: 3, now: NOON, history: NO_REQUESTS })
  })

const stateOf = (root: string): Files => new Map([...filesIn(root)].filter(([file]) => file.startsWith('state/')))

async function sent(url: string, bytes: Buffer): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  // A server may reset a connection of which it reads no more.
  const answer = buffer(socket).catch(() => Buffer.alloc(0))
  socket.on('error', () => {})
  socket.end(bytes)
  const ended = await answer
  socket.destroy()
  return ended.toString('latin1')
}

function refuseFault(answer: string): void {
  for (const [, status, body = ''] of answer.matchAll(/(?:^|\r\n)HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n(\{[^]*?\n\})?/g)) {
    if (status === '500') throw new Error(`the server answered ${answer.slice(0, 300)}`)
    if (Number(status) >= 400 && body !== '') ErrorAnswer.parse(JSON.parse(body))
  }
}

const request = (lines: readonly string[], body = ''): Buffer =>
  Buffer.from([...lines, 'Host: example.org', 'Connection: close', '', body].join('\r\n'))

const LISTING = JSON.stringify({ request_type: 'new', name: 'A', symbol: 'A', website: 'https://a.example' })

const LISTED = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>mkt</Name><Prefix></Prefix><KeyCount>1</KeyCount>
<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated><Contents><Key>api/mkt.json</Key><LastModified>2026-11-20T12:00:00.000Z</LastModified>
<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass></Contents></ListBucketResult>`
const REFUSED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access &amp; more denied</Message><RequestId>1</RequestId><HostId>2</HostId></Error>`

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">\n<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs>' +
  '<g fill="url(#a)" transform="translate(1 1)"><path d="M0 0h8v8z"/><circle cx="4" cy="4" r="2"/></g></svg>'

const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now: NOON }

/** Every reader of what others hand in, by what it reads. */
export const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  async 'the text of a bundle'() {
    const { bundle } = await observedRun({ history: NO_REQUESTS })
    const named = (bytes: Buffer) => ({ name: `x-${sha256Of(bytes)}.ndjson.gz`, bytes })
    return {
      samples: [gunzipSync(encodeBundle(bundle).bytes)],
      use: (bytes) => mergeBundles([readOf(named(gzipSync(bytes)))], merging),
    }
  },
  async 'the file of a bundle'() {
    const { bundle } = await observedRun({ history: NO_REQUESTS })
    return {
      samples: [encodeBundle(bundle).bytes],
      use: (bytes) => decodeBundle({ name: `x-${sha256Of(bytes)}.ndjson.gz`, bytes }),
    }
  },
  async 'documents that the client reads'() {
    const root = await treeWithPast()
    const files = filesIn(root)
    const asked =
      /^api\/mkt(\.json|\/(prices|rates|closes\/2026-11-10|assets\/bitcoin|history\/bitcoin\/days=7|closes|assets)\.json)$/
    return ofFolder(
      files,
      async (changed) => {
        const client = createClient({ mirrors: 'https://host.example', fetch: fetchFrom(changed), now: () => NOON })
        await client.index().catch(expected)
        await client.asset('bitcoin').catch(expected)
        await client.assets({ limit: 3 }).catch(expected)
        await client.history('bitcoin', { days: 7 }).catch(expected)
        await client.prices({ ids: ['bitcoin'], vs: 'eur' }).catch(expected)
        await client.priceAt('bitcoin', NOON - 10 * 86_400_000).catch(expected)
        await client.priceAt('bitcoin', NOON - 3_600_000).catch(expected)
      },
      (file) => asked.test(file),
    )
  },
  async 'tables that are restored'() {
    const files = stateOf(await treeWithPast())
    return ofFolder(files, (changed) =>
      within(changed, (from) =>
        within(new Map(), (root) => readState(root, [placeAt(from, OPTIONS)], NOON + HALF_HOUR)),
      ),
    )
  },
  async 'rows that a run extends'() {
    const files = stateOf(await treeWithPast())
    const parts = [...files].filter(([file]) => file.endsWith('.gz'))
    return {
      samples: parts.map(([, bytes]) => gunzipSync(bytes)),
      use: (bytes, sample) =>
        within(agreeing(files, parts[sample]?.[0] ?? '', gzipSync(bytes)), (root) =>
          leanRun(root, { count: 3, now: NOON + HALF_HOUR, history: NO_REQUESTS }),
        ),
    }
  },
  async settings() {
    const settings = text({
      product: 'Mine',
      site: 'https://example.org/quotes/',
      sources: { only: ['kraken', 'coinbase'], off: [] },
      cadenceMinutes: 30,
      pages: { colours: { accent: { light: '#112233', dark: '#445566' } }, currencies: ['EUR', 'BTC'] },
      registry: [{ slug: 'my-coin', symbol: 'MY', name: 'My coin' }],
    })
    return {
      samples: [settings],
      use: (bytes) =>
        within(
          new Map([['quotetree.config.ts', Buffer.concat([Buffer.from('export default '), bytes])]]),
          async (folder) => {
            const { config } = await settingsWith({}, folder)
            if (Array.isArray(config.registry)) openRegistry({ assets: config.registry })
          },
        ),
    }
  },
  async 'files of the registry'() {
    const [asset] = leanRegistry().assets.filter(({ slug }) => slug === 'usd-coin')
    return {
      samples: [text(asset), text({ slug: 'my-coin', symbol: 'MY', name: 'My coin' })],
      use: (bytes) =>
        within(new Map([['a.json', bytes]]), async (folder) => {
          openRegistry({ assets: entriesOfFolder(folder), file: 'a.json' })
        }),
    }
  },
  async 'an image'() {
    return {
      samples: [Buffer.from(LOGO)],
      use(bytes) {
        const svg = safeSvg(bytes.toString('utf8'))
        if (
          svg !== null &&
          /<(?!\/?(?:svg|g|path|circle|ellipse|rect|line|poly|defs|\w+Gradient|stop|clipPath|mask))/.test(svg)
        )
          throw new Error(`it passes ${svg}`)
      },
    }
  },
  async 'requests to the service'() {
    const root = newFolder()
    await copyLeanTree(root)
    const host = await ownHost(root, NOON)
    return {
      samples: [
        request([
          'GET /api/mkt/assets?limit=3 HTTP/1.1',
          'Accept-Encoding: br;q=0.5, gzip',
          'If-None-Match: W/"a", "b"',
        ]),
        request(['GET /api/mkt/prices?ids=bitcoin,ethereum&vs=eur HTTP/1.1', 'Accept: text/csv;q=0.9, */*']),
        request(['GET /api/mkt/history/bitcoin?days=7&format=csv HTTP/1.1', 'Range: bytes=0-99']),
        request(
          [
            'POST /api/mkt/listing-requests HTTP/1.1',
            'Content-Type: application/json',
            `Content-Length: ${LISTING.length}`,
          ],
          LISTING,
        ),
        request(
          ['POST /api/mkt/listing-requests HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
          `${LISTING.length.toString(16)}\r\n${LISTING}\r\n0\r\n\r\n`,
        ),
      ],
      use: async (bytes) => refuseFault(await sent(host.url, bytes)),
      close: () => host.close(),
    }
  },
  async 'answers of D1'() {
    const record = JSON.stringify(recordOf('00000000-aaaa'))
    const rows = [{ request_id: '00000000-aaaa', version: 0, record }]
    return {
      samples: [
        text({ success: true, errors: [], messages: [], result: [{ success: true, results: rows, meta: {} }] }),
        text({
          success: false,
          errors: [{ code: 7404, message: 'The database could not be found' }],
          messages: [],
          result: null,
        }),
        Buffer.from('<!doctype html><title>502 Bad Gateway</title>'),
      ],
      async use(bytes, sample) {
        const status = [200, 404, 502][sample] ?? 200
        const ask: typeof fetch = async () => new Response(new Uint8Array(bytes), { status })
        const address = { api: 'https://api.example', account: 'a', database: 'b', token: 'c' }
        const queue = d1Queue(overApi(address, ask), () => {})
        await queue.list().catch(expected)
        await queue.add(recordOf('00000000-aaaa'))
      },
    }
  },
  async 'answers of S3'() {
    const answer = { bytes: Buffer.alloc(0), status: 200, encoding: '' }
    const host = await hostOf((_, response) => {
      response.writeHead(answer.status, answer.encoding === '' ? {} : { 'content-encoding': answer.encoding })
      response.end(answer.bytes)
    })
    const keys = { accessKeyId: 'a', secretAccessKey: 'b' }
    const store = s3Store({ bucket: 'mkt', prefix: '' }, { endpoint: host.url, ...keys })
    return {
      samples: [Buffer.from(LISTED), Buffer.from(REFUSED), gzipSync('{"ok":true}')],
      async use(bytes, sample) {
        Object.assign(answer, { bytes, status: [200, 403, 200][sample] ?? 200, encoding: sample === 2 ? 'gzip' : '' })
        if (sample === 2) await store.read('a.json')
        else await store.list()
      },
      close: () => host.close(),
    }
  },
}

/** Errors with which commands and the client answer what others hand in: one sentence each. */
const TYPED: ReadonlySet<string> = new Set([
  'ApiError',
  'ConfigError',
  'DeliveryError',
  'MirrorError',
  'NoMirrorError',
  'NotFoundError',
  'QueueError',
  'RegistryError',
  'RestoreError',
  'SourceError',
  'StaleError',
  'TreeError',
])

/** Throws an error that is no typed one, or no sentence. */
export function expected(error: unknown): void {
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['', String(error)]
  if (!TYPED.has(name)) throw error
  const lines = name === 'ConfigError' ? message.split('\n') : [message]
  for (const line of lines)
    if (
      line === '' ||
      line.length > 2000 ||
      /\p{Cc}|(?<!received )undefined|\[object |\bat \S*\/\S+:\d+:\d+/u.test(line)
    )
      throw new Error(`${name} is no sentence: ${line.slice(0, 300)}`, { cause: error })
}
