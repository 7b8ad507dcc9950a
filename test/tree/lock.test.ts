import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { lock } from '../../src/core/tree/lock.ts'
import { newFolder } from '../sample-tree.ts'

let root: string
const now = Date.UTC(2026, 10, 20)
const hold = (holder: object) => writeFileSync(join(root, '.lock'), JSON.stringify({ since: 'then', ...holder }))

beforeEach(() => {
  root = newFolder()
})

it('keeps a second build off until the first ends', () => {
  const unlock = lock(root, now)
  expect(() => lock(root, now)).toThrow(`is being changed by process ${process.pid}`)
  unlock()
  expect(existsSync(join(root, '.lock'))).toBe(false)
  lock(root, now)()
})

it('takes over from a process that is gone', () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  hold({ pid, host: hostname() })
  lock(root, now)()
  expect(existsSync(join(root, '.lock'))).toBe(false)
})

it('takes over a lock that a crash left empty', () => {
  writeFileSync(join(root, '.lock'), '')
  lock(root, now)()
  expect(existsSync(join(root, '.lock'))).toBe(false)
})

it('leaves a young lock of another machine alone and takes over an old one', () => {
  hold({ pid: 1, host: 'elsewhere' })
  utimesSync(join(root, '.lock'), now / 1000, now / 1000)
  expect(() => lock(root, now + 60_000)).toThrow('on elsewhere')
  lock(root, now + 2 * 3_600_000)()
})

it('takes over from an earlier process with its own id, as a container has after a restart', () => {
  const unlock = lock(root, now)
  const held = readFileSync(join(root, '.lock'), 'utf8')
  unlock()
  // The same id on the same host, started at another tick.
  writeFileSync(join(root, '.lock'), held.replace(/\d+"}$/, '1"}'))
  lock(root, now)()
  writeFileSync(join(root, '.lock'), held)
  expect(() => lock(root, now)).toThrow('is being changed by')
})

it('replaces a link that leads nowhere, and names a folder that has its name', () => {
  symlinkSync('nowhere', join(root, '.lock'))
  lock(root, now)()
  mkdirSync(join(root, '.lock'))
  expect(() => lock(root, now)).toThrow(/\.lock is a folder, not a lock\. Delete it/)
})

it('writes through no link that has the name of its draft', () => {
  const outside = join(newFolder(), 'outside')
  writeFileSync(outside, 'kept')
  symlinkSync(outside, join(root, `.lock.${process.pid}`))
  lock(root, now)()
  expect(readFileSync(outside, 'utf8')).toBe('kept')
})

it('refuses a file in place of a folder', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  expect(() => lock(file, now)).toThrow('is not a folder. Choose another folder with --out.')
})
