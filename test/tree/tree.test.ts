import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { type Document, sealed } from '../../src/core/endpoints/compose.ts'
import { NO_ROWS } from '../../src/core/history/rows.ts'
import { stagedFile } from '../../src/core/tree/layout.ts'
import { readState } from '../../src/core/tree/state.ts'
import { type Published, intactFiles, openTree, publish } from '../../src/core/tree/tree.ts'
import { newFolder } from '../sample-tree.ts'

const AT = '2026-11-20T12:00:00Z'
const NOW = Date.parse(AT)
type Texts = Readonly<Record<string, string>>

const documentsOf = (texts: Texts): Document[] =>
  Object.entries({ 'api/mkt.json': JSON.stringify(texts), ...texts }).map(([path, text]) => sealed(path, text, AT))

async function publishTexts(texts: Texts, failure?: Error): Promise<Published> {
  openTree(root)
  const state = await readState(root, [], NOW)
  const holds = intactFiles(root, NOW)
  return publish(root, {
    rows: NO_ROWS,
    last: { ...state, documents: state.rows.documents },
    changed: null,
    *compose(tables) {
      for (const document of documentsOf(texts)) {
        const before = state.rows.documents.get(document.path)
        const isSame = before?.sha256 === document.sha256 && holds(before)
        yield isSame ? { ...document, content: null } : document
      }
      if (failure) throw failure
      tables()
    },
  })
}

const contents = (): Texts =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(root, name)).isFile() && !name.startsWith('state/') && name !== 'api/mkt.json')
      .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
  )

let root: string
beforeEach(() => {
  root = newFolder()
})

describe('a publication', () => {
  it('leaves exactly its documents', async () => {
    await publishTexts({ 'api/mkt/a.json': '1', 'api/mkt/b/c.json': '2' })
    const next = { 'api/mkt/a.json': '1', 'api/mkt/d.json': '4' }
    const done = await publishTexts(next)
    expect(contents()).toEqual(next)
    expect(done.removed).toEqual(['api/mkt/b/c.json'])
  })

  it('does not touch a document that did not change, and gives files the time of their data', async () => {
    await publishTexts({ 'api/mkt/a.json': '1' })
    const before = statSync(join(root, 'api/mkt/a.json'))
    expect((await publishTexts({ 'api/mkt/a.json': '1' })).written).not.toContain('api/mkt/a.json')
    const after = statSync(join(root, 'api/mkt/a.json'))
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, NOW])
  })

  it('changes nothing when composing fails half way', async () => {
    const first = { 'api/mkt/a.json': '1', 'api/mkt/b.json': '2' }
    await publishTexts(first)
    await expect(publishTexts({ 'api/mkt/a.json': 'other' }, new Error('a body broke its contract'))).rejects.toThrow(
      'a body broke its contract',
    )
    expect(contents()).toEqual(first)
  })

  it.each([
    ['gone', (file: string) => rmSync(file)],
    ['cut short', (file: string) => writeFileSync(file, '')],
  ])('writes a file again that is %s', async (_, harm) => {
    const first = { 'api/mkt/a.json': '123', 'api/mkt/b.json': '2' }
    await publishTexts(first)
    harm(join(root, 'api/mkt/a.json'))
    await publishTexts(first)
    expect(contents()).toEqual(first)
  })

  it('deletes nothing that it did not write', async () => {
    await publishTexts({ 'api/mkt/a.json': '1', 'api/mkt/b.json': '2' })
    const mine = ['api/mkt/notes.json', 'api/mkt/b.json.bak', 'api/mkt/assets/mine.json', 'x.json', 'state/notes.txt']
    for (const file of mine) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), 'mine')
    }
    expect((await publishTexts({ 'api/mkt/a.json': '1 new' })).removed).toEqual(['api/mkt/b.json'])
    for (const file of mine) expect(readFileSync(join(root, file), 'utf8')).toBe('mine')
  })
})

describe('a publication that was cut off', () => {
  const first = { 'api/mkt/a.json': '1', 'api/mkt/b.json': '2' }
  const second = { 'api/mkt/a.json': '1 new', 'api/mkt/c.json': '3' }
  const put = Object.entries(second).map(([path, text]) => [path, sha256Of(text)])
  const journal = JSON.stringify({ put, drop: ['api/mkt/b.json'] })
  const stage = (texts: Texts) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(join(root, '.staging'), { recursive: true })
      writeFileSync(join(root, stagedFile(path)), text)
    }
  }
  beforeEach(() => publishTexts(first))

  it('before its journal appeared has not happened', () => {
    stage(second)
    openTree(root)
    expect(contents()).toEqual(first)
  })

  it('after its journal appeared is completed by the next process', () => {
    stage(second)
    writeFileSync(join(root, '.journal'), journal)
    openTree(root)
    expect(contents()).toEqual(second)
  })

  it('that was interrupted while moving files is completed', () => {
    stage({ 'api/mkt/c.json': '3' })
    writeFileSync(join(root, 'api/mkt/a.json'), '1 new')
    writeFileSync(join(root, '.journal'), journal)
    openTree(root)
    expect(contents()).toEqual(second)
  })

  it('with a staged file that a power cut emptied keeps the old documents', async () => {
    stage({ ...second, 'api/mkt/c.json': '' })
    writeFileSync(join(root, '.journal'), journal)
    openTree(root)
    expect(contents()).toEqual(first)
    await publishTexts(second)
    expect(contents()).toEqual(second)
  })
})

describe('a foreign journal', () => {
  const first = { 'api/mkt/a.json': '1' }
  const outside = newFolder()
  beforeEach(async () => {
    await publishTexts(first)
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
    openTree(root)
    expect(readFileSync(join(outside, 'kept.json'), 'utf8')).toBe('kept')
    expect(readFileSync(join(root, 'api/mkt/a.json'), 'utf8')).toBe('1')
    expect(existsSync(join(root, '.journal'))).toBe(false)
  })

  it.each(['', '{', '{"put":[["api/mkt/a.json"]]}', '[]'])('that reads %j ends in the old documents', async (text) => {
    writeFileSync(join(root, '.journal'), text)
    await publishTexts(first)
    expect(contents()).toEqual(first)
  })
})

describe('what blocks a publication', () => {
  const documents = { 'api/mkt/a.json': '1', 'api/mkt/b/c.json': '2' }
  beforeEach(() => publishTexts({}))

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
  ])('gives way: %s', async (_, block) => {
    block()
    await publishTexts(documents)
    expect(contents()).toEqual(documents)
  })

  it('is named where it is a link that may lead out of the tree', async () => {
    symlinkSync(newFolder(), join(root, 'api/mkt'))
    await expect(publishTexts(documents)).rejects.toThrow(/mkt is a link, and may lead out of the tree\. Replace it/)
  })
})
