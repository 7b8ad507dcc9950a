import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { runShell, shellOf } from '../delivery/workflow-steps.ts'
import { npmRegistry } from '../delivery/npm-registry.ts'
import { newFolder } from '../sample-tree.ts'
import { engineArchive } from './installed.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
const Versioned = z.object({ version: z.string() })
const versionIn = (text: string): string => Versioned.parse(JSON.parse(text)).version

it('has one version in both packages and the lock file', () => {
  const files = ['package.json', 'package-lock.json', 'src/client/package.json']
  expect(new Set(files.map((file) => versionIn(read(file)))).size).toBe(1)
})

it('has what the changelog says of its version as notes, and none without', async () => {
  const folder = newFolder()
  const notesOf = (version: string) =>
    runShell(shellOf('release.yml', 'Take the notes'), folder, {
      PATH: process.env['PATH'] ?? '',
      GITHUB_REF_NAME: `v${version}`,
    })
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '## Unreleased\n\n- A\n\n## 1.2.0 (2026-11-23)\n\n- B\n\n## 1.1.0 (2026-11-01)\n',
  )
  expect((await notesOf('1.2.0')).code).toBe(0)
  expect(readFileSync(join(folder, 'notes.md'), 'utf8').trim()).toBe('- B')
  expect((await notesOf('1.1.0')).code).not.toBe(0)
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
