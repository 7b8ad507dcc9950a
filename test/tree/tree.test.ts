import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sha256Of } from '../../src/contract/digest.ts'
import { type Document } from '../../src/endpoints/compose.ts'
import { Tree } from '../../src/tree/tree.ts'
import { newFolder } from '../sample-tree.ts'

const AT = '2026-11-20T12:00:00Z'
const document = (path: string, text: string): Document => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: sha256Of(text),
  timestamp: AT,
  text,
})

/** Documents with their manifest, as a publication composes them. */
const publication = (texts: Readonly<Record<string, string>>): Document[] => {
  const documents = Object.entries(texts).map(([name, text]) => document(`api/mkt/${name}.json`, text))
  const rows = documents.map(({ text: _, ...row }) => row)
  return [
    ...documents,
    document('api/mkt/manifest.json', JSON.stringify({ timestamp: AT, rowsDigest: '', previous: null, rows })),
    document('api/mkt.json', `index of ${sha256Of(JSON.stringify(rows))}`),
  ]
}

/** A document as the program prints one. */
const OWN = '{"ok":true,\n"product":"Quotetree",\n"endpoint":"rates",\n"timestamp":"2026-11-20T12:00:00Z"}\n'

const contents = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(root, name)).isFile())
      .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
  )
const expected = (documents: readonly Document[]) => Object.fromEntries(documents.map(({ path, text }) => [path, text]))

let root: string
beforeEach(() => {
  root = newFolder()
})

describe('a publication', () => {
  it('leaves exactly its documents', () => {
    new Tree(root).publish(publication({ a: '1', 'b/c': '2' }))
    const next = publication({ a: '1', d: '4' })
    const done = new Tree(root).publish(next)
    expect(contents(root)).toEqual(expected(next))
    expect(done.removed).toEqual(['api/mkt/b/c.json'])
  })

  it('writes nothing when nothing changed', () => {
    new Tree(root).publish(publication({ a: '1' }))
    const before = statSync(join(root, 'api/mkt/a.json'))
    const done = new Tree(root).publish(publication({ a: '1' }))
    expect(done).toMatchObject({ written: [], unchanged: 3, removed: [] })
    expect(statSync(join(root, 'api/mkt/a.json')).ino).toBe(before.ino)
  })

  it('gives files the time of their data', () => {
    new Tree(root).publish(publication({ a: '1' }))
    expect(statSync(join(root, 'api/mkt/a.json')).mtimeMs).toBe(Date.parse(AT))
  })

  it('changes nothing when composing fails half way', () => {
    const first = publication({ a: '1', b: '2' })
    new Tree(root).publish(first)
    const failing = function* () {
      yield document('api/mkt/a.json', 'other')
      throw new Error('a body broke its contract')
    }
    expect(() => new Tree(root).publish(failing())).toThrow('a body broke its contract')
    new Tree(root)
    expect(contents(root)).toEqual(expected(first))
  })

  it.each([
    ['gone', (file: string) => rmSync(file)],
    ['cut short', (file: string) => writeFileSync(file, '')],
  ])('writes anew a file that is %s', (_, harm) => {
    const first = publication({ a: '123', b: '2' })
    new Tree(root).publish(first)
    harm(join(root, 'api/mkt/a.json'))
    new Tree(root).publish(first)
    expect(contents(root)).toEqual(expected(first))
  })

  it('reads the head of a whole file alone', () => {
    new Tree(root).publish(publication({ a: '123', b: '2' }))
    const file = 'api/mkt/a.json'
    const whole = new Tree(root).head(file)
    expect(whole).toBe(readFileSync(join(root, file), 'utf8'))
    writeFileSync(join(root, file), 'no document')
    expect(new Tree(root).head(file)).toBe('')
  })

  it('continues from the files when the manifest is lost', () => {
    const first = publication({ a: '1', b: OWN })
    new Tree(root).publish(first)
    rmSync(join(root, 'api/mkt/manifest.json'))
    const tree = new Tree(root)
    expect(tree.files).toContain('api/mkt/a.json')
    expect(tree.publish(publication({ a: '1' })).removed).toEqual(['api/mkt/b.json'])
  })

  it.each([
    ['whole', () => {}],
    ['lost', () => rmSync(join(root, 'api/mkt/manifest.json'))],
  ])('deletes nothing that it did not write, when its manifest is %s', (_, harm) => {
    new Tree(root).publish(publication({ a: '1', b: OWN }))
    const mine = [
      'api/mkt/notes.json',
      'api/mkt/b.json.bak',
      'api/mkt/assets/mine.json',
      'blocks/assets/9.json',
      'x.json',
    ]
    for (const file of mine) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), '{"ok":true,"notes":"mine"}')
    }
    harm()
    const { removed } = new Tree(root).publish(publication({ a: '1 new' }))
    expect(removed).toEqual(['api/mkt/b.json'])
    for (const file of mine) expect(readFileSync(join(root, file), 'utf8')).toContain('mine')
  })
})

describe('a publication that was cut off', () => {
  const first = publication({ a: '1', b: OWN })
  const second = publication({ a: '1 new', c: '3' })
  const drop = ['api/mkt/b.json']
  const journal = JSON.stringify({ put: second.map(({ path, sha256 }) => [path, sha256]), drop })
  const stage = (documents: readonly Document[]) => {
    for (const { path, text } of documents) {
      mkdirSync(join(root, '.staging', path, '..'), { recursive: true })
      writeFileSync(join(root, '.staging', path), text ?? '')
    }
  }
  beforeEach(() => {
    new Tree(root).publish(first)
  })

  it('before its journal appeared has not happened', () => {
    stage(second)
    new Tree(root)
    expect(contents(root)).toEqual(expected(first))
  })

  it('after its journal appeared is completed by the next process', () => {
    stage(second)
    writeFileSync(join(root, '.journal'), journal)
    new Tree(root)
    expect(contents(root)).toEqual(expected(second))
  })

  it('that was interrupted while moving files is completed', () => {
    stage(second.slice(1))
    writeFileSync(join(root, 'api/mkt/a.json'), '1 new')
    writeFileSync(join(root, '.journal'), journal)
    new Tree(root)
    expect(contents(root)).toEqual(expected(second))
  })

  it('with a staged file that a power cut emptied keeps the old documents', () => {
    stage(second.map((one) => (one.path === 'api/mkt/c.json' ? { ...one, text: '' } : one)))
    writeFileSync(join(root, '.journal'), journal)
    const tree = new Tree(root)
    expect(tree.read('api/mkt/a.json')).toBe('1')
    expect(tree.read('api/mkt/b.json')).toBe(OWN)
    tree.publish(second)
    expect(contents(root)).toEqual(expected(second))
  })
})

describe('a foreign journal', () => {
  const first = publication({ a: '1' })
  const outside = newFolder()
  beforeEach(() => {
    new Tree(root).publish(first)
    writeFileSync(join(outside, 'kept.json'), 'kept')
  })
  const dropping = (...drop: readonly string[]) =>
    writeFileSync(join(root, '.journal'), JSON.stringify({ put: [], drop }))

  it.each([
    ['a path that leads up', () => dropping(`../${outside.split('/').at(-1)}/kept.json`)],
    ['an absolute path', () => dropping(join(outside, 'kept.json'))],
    [
      'a path through a link',
      () => {
        symlinkSync(outside, join(root, 'api/link'))
        dropping('api/link/kept.json')
      },
    ],
    ['a folder', () => dropping('api')],
  ])('deletes nothing by %s', (_, write) => {
    write()
    const tree = new Tree(root)
    expect(readFileSync(join(outside, 'kept.json'), 'utf8')).toBe('kept')
    expect(tree.read('api/mkt/a.json')).toBe('1')
    expect(existsSync(join(root, '.journal'))).toBe(false)
    tree.publish(first)
    expect(existsSync(join(root, 'api/mkt/manifest.json'))).toBe(true)
  })

  it.each(['', '{', '{"put":[["api/mkt/a.json"]]}', '[]'])('that reads %j ends in the old documents', (text) => {
    writeFileSync(join(root, '.journal'), text)
    new Tree(root).publish(first)
    expect(contents(root)).toEqual(expected(first))
  })
})

describe('what blocks a publication', () => {
  const documents = publication({ a: '1', 'b/c': '2' })

  it.each<readonly [string, () => void]>([
    ['a folder with the name of a document', () => mkdirSync(join(root, 'api/mkt/a.json/sub'), { recursive: true })],
    [
      'a file with the name of a folder',
      () => {
        mkdirSync(join(root, 'api/mkt'), { recursive: true })
        writeFileSync(join(root, 'api/mkt/b'), '')
      },
    ],
    ['a folder with the name of the journal', () => mkdirSync(join(root, '.journal/sub'), { recursive: true })],
    ['a file with the name of the staging folder', () => writeFileSync(join(root, '.staging'), '')],
    ['a link that leads to itself', () => symlinkSync('api', join(root, 'api.json'))],
  ])('gives way: %s', (_, put) => {
    put()
    new Tree(root).publish(documents)
    for (const { path, text } of documents) expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    expect(new Tree(root).publish(documents).written).toEqual([])
  })

  it('is named where it is a link that may lead out of the tree', () => {
    symlinkSync(newFolder(), join(root, 'api'))
    expect(() => new Tree(root).publish(documents)).toThrow(/api is a link, and may lead out of the tree\. Replace it/)
  })
})
