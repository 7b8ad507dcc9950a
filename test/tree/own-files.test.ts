import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { LAYOUT, WORK } from '../../src/tree/layout.ts'
import { refuseForeign } from '../../src/tree/own-files.ts'
import { copyLeanTree, newFolder } from '../sample-tree.ts'

let root: string
beforeEach(() => {
  root = newFolder()
})

const put = (file: string, text = 'mine'): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

describe('a folder to publish into', () => {
  it.each([
    'README.md',
    'index.html',
    'api/mkt.json',
    'api/mkt/notes.json',
    'src/deep/in/it.ts',
    'blocks/assets/0.json',
  ])('is refused with %s and without a tree, by name', (file) => {
    put(file, '{"ok":true}')
    expect(() => refuseForeign(root)).toThrow(`${root} holds ${file}, and no published tree.`)
  })

  it.each(['.git/HEAD', '.nojekyll', '.staging/api/mkt.json', '.lock', '_headers', 'HOSTING.md', 'state/.spent.json'])(
    'may hold %s',
    (file) => {
      put(file)
      mkdirSync(join(root, 'api/mkt'), { recursive: true })
      expect(() => refuseForeign(root)).not.toThrow()
    },
  )

  it('need not exist', () => {
    expect(() => refuseForeign(join(root, 'new'))).not.toThrow()
  })

  it('is a tree whatever else it holds, without index or manifest too', async () => {
    await copyLeanTree(root)
    put('README.md')
    const lost: readonly string[] = [LAYOUT.index, LAYOUT.manifest, LAYOUT.collector, 'state/latest.json']
    for (const file of lost) {
      expect(() => refuseForeign(root)).not.toThrow()
      rmSync(join(root, file), { force: true })
    }
    expect(() => refuseForeign(root)).not.toThrow()
  })

  it('is a tree while its first publication is interrupted', () => {
    put('index.html')
    put(WORK.journal, '{"put":[],"drop":[]}')
    expect(() => refuseForeign(root)).not.toThrow()
  })
})
