import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { notesOf, releaseFiles } from '../../scripts/release.ts'
import { npmRegistry } from '../delivery/npm-registry.ts'
import { newFolder } from '../sample-tree.ts'
import { engineArchive } from './installed.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
const Versioned = z.object({ version: z.string() })
const versionIn = (text: string): string => Versioned.parse(JSON.parse(text)).version

describe('a release', () => {
  const files = releaseFiles(read, '99.0.0', '2026-11-23')
  const changelog = files.get('CHANGELOG.md') ?? ''

  it('states its version in both packages and the lock file, and changes nothing else there', () => {
    for (const file of ['package.json', 'package-lock.json', 'src/client/package.json']) {
      const text = files.get(file) ?? ''
      expect(versionIn(text)).toBe('99.0.0')
      expect(text.replaceAll('"version": "99.0.0"', `"version": "${versionIn(read(file))}"`)).toBe(read(file))
    }
    const Lock = z.object({ packages: z.object({ '': Versioned }) })
    expect(Lock.parse(JSON.parse(files.get('package-lock.json') ?? '')).packages[''].version).toBe('99.0.0')
  })

  it('has what was unreleased as its notes, and begins an empty list', () => {
    expect(notesOf(changelog, '99.0.0')).toMatch(/^- /)
    expect(changelog.replace('\n## 99.0.0 (2026-11-23)\n', '')).toBe(read('CHANGELOG.md'))
    expect(() => notesOf(changelog, '98.0.0')).toThrow('CHANGELOG.md says nothing of 98.0.0.')
    const after = (file: string) => files.get(file) ?? ''
    expect(() => releaseFiles(after, '99.0.1', '2026-11-24')).toThrow('CHANGELOG.md has nothing unreleased.')
  })

  it.each([
    ['v1', '"v1" is no version'],
    ['0.0.9', '0.0.9 is not later than'],
    [versionIn(read('package.json')), 'is not later than'],
  ])('refuses %s', (version, sentence) => {
    expect(() => releaseFiles(read, version, '2026-11-23')).toThrow(sentence)
  })
})

it('is published by npm, into a registry on loopback', async () => {
  const registry = await npmRegistry()
  try {
    const { host } = new URL(registry.url)
    const args = ['publish', await engineArchive(), '--registry', registry.url, `--//${host}/:_authToken=publisher`]
    const cache = join(newFolder(), 'cache')
    await promisify(execFile)('npm', [...args, '--access', 'public', '--cache', cache], { cwd: newFolder() })
    expect(registry.tagsOf('quotetree')).toEqual({ latest: versionIn(read('package.json')) })
  } finally {
    await registry.close()
  }
})

it('has a Dockerfile without faults, for a user without rights', () => {
  const text = read('.github/Dockerfile')
  expect(validate(text)).toEqual([])
  expect(text).toMatch(/^USER node$/m)
})
