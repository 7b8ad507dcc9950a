import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { newFolder } from '../sample-tree.ts'
import { cloneAt, commandsIn } from './project-copy.ts'

it('publishes equal bytes from another folder, time zone and language', async () => {
  const place = newFolder()
  const [copy, other] = [join(place, 'copy'), join(place, 'an other', 'düster')]
  cloneAt(copy)
  cpSync(copy, other, { recursive: true, verbatimSymlinks: true })
  const build = (quotetree: ReturnType<typeof commandsIn>) =>
    quotetree('snapshot', '--sources', 'sample', '--listings', '30', '--out', 'dist')
  await build(commandsIn(copy, { TZ: 'UTC', LC_ALL: 'C' }))
  await build(commandsIn(other, { TZ: 'Asia/Kolkata', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', FORCE_COLOR: '1' }))
  const files = filesBelow(join(copy, 'dist'), '')
  expect(filesBelow(join(other, 'dist'), '')).toEqual(files)
  const published = files.filter((file) => !file.split('/').some((name) => name.startsWith('.')))
  expect(published.length).toBeGreaterThan(500)
  const bytes = (folder: string, file: string) => readFileSync(join(folder, 'dist', file))
  expect(published.filter((file) => !bytes(copy, file).equals(bytes(other, file)))).toEqual([])
})
