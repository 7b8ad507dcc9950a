import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isPart } from '../../src/contract/manifest-parts.ts'
import type { ManifestRow } from '../../src/contract/manifest.ts'
import { placeAt, readerAt } from '../../src/tree/remote.ts'
import { restore } from '../../src/tree/restore.ts'
import { Tree } from '../../src/tree/tree.ts'
import { NOON, copyTree, newFolder, leanRun, copyLeanTree } from '../sample-tree.ts'
import { manifestTexts, rowsIn, textsOf } from './manifest-texts.ts'

type Fault = (file: string, outgoing: ServerResponse) => boolean

const published = newFolder()

const asked: string[] = []
/** Index, manifest and collector, and the parts. */
const others = () => 3 + asked.filter(isPart).length
let fault: Fault = () => false
let folder = published
let root: string

const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const file = decodeURIComponent(incoming.url ?? '').replace('/some/base/', '')
  asked.push(file)
  if (fault(file, outgoing)) return
  const path = join(folder, file)
  if (existsSync(path)) outgoing.end(readFileSync(path))
  else outgoing.writeHead(404).end('<h1>Not here</h1>')
}
const server = createServer(answer)
let site: string

beforeAll(async () => {
  await copyLeanTree(published)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const at = server.address()
  site = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/some/base`
})
afterAll(() => {
  server.close()
})
beforeEach(() => {
  root = newFolder()
  folder = published
  fault = () => false
  asked.length = 0
})

const now = { timeoutMs: 120_000, attempts: 3, pause: async () => {} }
const from = (place: string, pause: () => Promise<void> = now.pause) =>
  restore(new Tree(root), readerAt(place, now), pause)
const files = (of: string) =>
  new Map(
    readdirSync(of, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(of, name)).isFile())
      .map((name) => [name, { text: readFileSync(join(of, name), 'utf8'), at: statSync(join(of, name)).mtimeMs }]),
  )

describe.each([
  ['a site', () => site],
  ['a folder', () => published],
])('taken from %s', (_, place) => {
  it('is the tree that is published there, to the byte and to the second', async () => {
    await from(place())
    const taken = files(root)
    expect([...taken.keys()].toSorted()).toEqual([...files(published).keys()].toSorted())
    for (const [name, { text, at }] of files(published)) {
      expect(taken.get(name)?.text, name).toBe(text)
      if (!/mkt\.json|collector|manifest/.test(name)) expect(taken.get(name)?.at, name).toBe(at)
    }
  })

  it('is extended as if it had always been there', async () => {
    const report = await leanRun(root, { now: NOON + 60_000, from: [placeAt(place(), now)] })
    expect(report.restored).toMatchObject({ resumed: 0, damaged: [] })
    const there = newFolder()
    copyTree(published, there)
    const { published: extended } = await leanRun(there, { now: NOON + 60_000 })
    expect(report.published?.written).toEqual(extended?.written)
    expect(report.published?.written.length).toBeLessThan(60)
  })
})

it('fetches no limit variant, and no file twice', async () => {
  const done = await from(site)
  expect(asked.filter((file) => file.includes('limit='))).toEqual([])
  expect(new Set(asked).size).toBe(asked.length)
  expect(done?.fetched).toBe(asked.length - others())
  expect(done?.cut).toBeGreaterThan(0)
})

it('restores nothing if the folder already holds a tree', async () => {
  await copyLeanTree(root)
  await leanRun(root, { from: [placeAt(site, now)] })
  expect(asked).toEqual([])
})

it('refuses a place where nothing is published', async () => {
  folder = newFolder()
  await expect(from(site)).rejects.toThrow('there is no api/mkt.json')
})

describe('when the site fails', () => {
  it('retries, and leaves no partial tree when it gives up', async () => {
    let failures = 2
    fault = (file, outgoing) => {
      if (!file.endsWith('assets.json') || failures-- <= 0) return false
      outgoing.writeHead(503).end()
      return true
    }
    expect(await from(site)).toMatchObject({ damaged: [] })

    root = newFolder()
    failures = 1000
    await expect(from(site)).rejects.toThrow(/assets\.json answers 503, asked 3 times/)
    expect(existsSync(join(root, 'api'))).toBe(false)
  })

  it('does not mistake a timeout for an empty site', async () => {
    fault = (_, outgoing) => {
      outgoing.destroy()
      return true
    }
    await expect(from(site)).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('resumes after an interruption', async () => {
    let left = 60
    fault = (_, outgoing) => {
      if (left-- > 0) return false
      outgoing.writeHead(500).end()
      return true
    }
    await expect(from(site)).rejects.toMatchObject({ reason: 'unreachable' })
    fault = () => false
    asked.length = 0
    const done = await from(site)
    expect(done?.resumed).toBeGreaterThan(20)
    expect(done?.fetched).toBe(asked.length - others())
    expect(files(root).size).toBe(files(published).size)
  })
})

describe('what differs from the manifest', () => {
  const history = 'api/mkt/history/bitcoin/days=7.json'

  it('is left out and named, and the run rebuilds it', async () => {
    fault = (file, outgoing) => {
      if (file === history) outgoing.end(readFileSync(join(published, file), 'utf8').replace('"days":7', '"days":8'))
      return file === history
    }
    const report = await leanRun(root, { from: [placeAt(site, now)] })
    expect(report.restored?.damaged).toEqual([history])
    expect(JSON.parse(readFileSync(join(root, history), 'utf8'))).toMatchObject({ days: 7, slug: 'bitcoin' })
  })

  it('may be missing, unless too much of it is', async () => {
    fault = (file, outgoing) => {
      if (file.includes('/history/')) outgoing.writeHead(404).end()
      return file.includes('/history/')
    }
    await expect(from(site)).rejects.toThrow(/of \d+ files are missing or differ from the manifest/)
  })

  it('is rejected beyond the size limit of a file', async () => {
    fault = (file, outgoing) => {
      if (file === history) outgoing.end('x'.repeat(10_000_000))
      return file === history
    }
    expect((await from(site))?.damaged).toEqual([history])
  })

  it.each(['../outside.json', '/etc/outside.json', 'api/../../outside.json', '.journal', 'api/mkt/.hidden.json'])(
    'never leads to %s',
    async (path) => {
      folder = newFolder()
      copyTree(published, folder)
      const rows = rowsIn(textsOf(folder)).map((row) => (row.path === 'api/mkt/assets.json' ? { ...row, path } : row))
      for (const [file, text] of manifestTexts(textsOf(folder), rows)) writeFileSync(join(folder, file), text)
      await expect(from(site)).rejects.toMatchObject({ reason: 'damaged' })
    },
  )
})

describe('a foreign manifest', () => {
  /** The published tree with another manifest that the index agrees with. */
  const lyingWith = (edit: Partial<ManifestRow>) => {
    const rows = rowsIn(textsOf(published)).map((row) =>
      row.path === 'api/mkt/assets.json' ? { ...row, ...edit } : row,
    )
    const texts = manifestTexts(textsOf(published), rows)
    fault = (file, outgoing) => {
      const text = texts.get(file)
      if (text === undefined) return false
      outgoing.end(text)
      return true
    }
  }
  const renamed = (path: string) => ({ path })

  it.each([
    ['a file twice', renamed('api/mkt/markets.json'), 'api/mkt/markets.json twice'],
    ['files whose names differ in case alone', renamed('API/MKT/markets.json'), /api\/mkt\/markets\.json twice/i],
    ['its own path', renamed('api/mkt/manifest.json'), 'api/mkt/manifest.json twice'],
    ['a file that is a folder too', renamed('api/mkt/assets'), 'api/mkt/assets as a file and as a folder'],
    ['a file below a file', renamed('api/mkt/markets.json/x.json'), 'as a file and as a folder'],
    ['a name that no folder holds', renamed(`api/${'x'.repeat(300)}.json`), 'a name too long'],
    ['a part of itself', renamed('api/mkt/manifest/0.json'), 'api/mkt/manifest/0.json twice'],
    ['a file of 1.7 GB', { bytes: 1_700_000_000 }, /with 1700000000 bytes, more than/],
    ['a time on no calendar', { timestamp: '2026-99-99T99:99:99Z' }, 'not a document of a published tree'],
  ])('that lists %s is refused before a file is fetched', async (_, edit, message) => {
    lyingWith(edit)
    await expect(from(site)).rejects.toThrow(message)
    expect(asked.length).toBe(others())
  })
})

describe('a site that redirects', () => {
  it('to itself is followed', async () => {
    fault = (file, outgoing) => {
      if (!file.endsWith('/global.json') && !file.endsWith('tnk.json')) return false
      if (file.startsWith('moved/')) return false
      outgoing.writeHead(302, { location: `/some/base/moved/${file}` }).end()
      return true
    }
    folder = newFolder()
    copyTree(published, folder)
    copyTree(published, join(folder, 'moved'))
    expect(await from(site)).toMatchObject({ damaged: [] })
  })

  it('to another host is not followed, and named', async () => {
    let reached = 0
    const inside = createServer((_, outgoing) => {
      reached++
      outgoing.end('{}')
    })
    await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done))
    const at = inside.address()
    const port = typeof at === 'object' ? at?.port : 0
    fault = (_, outgoing) => {
      outgoing.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
      return true
    }
    await expect(from(site)).rejects.toThrow(`redirects to http://127.0.0.1:${port}, another site.`)
    expect(reached).toBe(0)
    inside.close()
  })

  it('endlessly is not followed', async () => {
    fault = (_, outgoing) => {
      outgoing.writeHead(302, { location: '/some/base/again' }).end()
      return true
    }
    await expect(from(site)).rejects.toThrow('redirects more than 5 times')
  })
})

describe('a site that publishes during the restore', () => {
  const next = newFolder()
  beforeAll(async () => {
    copyTree(published, next)
    await leanRun(next, { now: NOON + 3_600_000 })
  })

  it('is taken as one publication or the other, never as both', async () => {
    fault = () => {
      if (asked.length === 40) folder = next
      return false
    }
    expect(await from(site)).toMatchObject({ damaged: [] })
    expect([...files(root)].map(([name, { text }]) => [name, text])).toEqual(
      [...files(next)].map(([name, { text }]) => [name, text]),
    )
  })

  it('that never stops changing is not restored', async () => {
    fault = (file, outgoing) => {
      if (file !== 'api/mkt/manifest.json') return false
      outgoing.end(`${readFileSync(join(published, file), 'utf8')} `)
      return true
    }
    await expect(from(site)).rejects.toMatchObject({ reason: 'changing' })
  })
})
