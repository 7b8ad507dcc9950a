import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { updateMarkdown, updateTo } from '../../src/delivery/self-update.ts'
import { newFolder } from '../sample-tree.ts'

const upstream = newFolder()
const copy = newFolder()
const gitIn =
  (folder: string) =>
  async (args: readonly string[]): Promise<string> =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
const read = (path: string): string => readFileSync(join(copy, path), 'utf8')

const FIRST = {
  'src/run.ts': 'one\n',
  'src/old.ts': 'old\n',
  'CHANGELOG.md': '# Changelog\n- first\n',
  'README.md': 'theirs\n',
  '.github/workflows/snapshot.yml': 'cron: 30\n',
}
const OWN = {
  'quotetree.config.ts': 'export default { product: "Grove" }\n',
  'registry/grove.json': '{}\n',
  'brand/grove.svg': '<svg/>\n',
  'README.md': 'Grove\n',
}

beforeAll(async () => {
  const git = gitIn(upstream)
  mkdirSync(upstream, { recursive: true })
  mkdirSync(copy, { recursive: true })
  await git(['init', '--quiet', '--initial-branch=main'])
  await git(['config', 'uploadpack.allowAnySHA1InWant', 'true'])
  write(upstream, FIRST)
  await git(['add', '.'])
  await git(['commit', '--quiet', '--message', 'one'])
  await git(['tag', 'v1'])
  // A copy of a template has the files, and no history in common.
  const own = gitIn(copy)
  await own(['init', '--quiet', '--initial-branch=main'])
  write(copy, { ...FIRST, ...OWN })
  await own(['add', '.'])
  await own(['commit', '--quiet', '--message', 'Initial commit'])
  write(upstream, {
    'src/run.ts': 'two\n',
    'src/new.ts': 'new\n',
    'src/größe.ts': 'new\n',
    '.gitignore': 'src/new.ts\n',
    'CHANGELOG.md': '# Changelog\n- first\n- second\n',
    'README.md': 'theirs, changed\n',
    'quotetree.config.ts': 'theirs\n',
    'registry/grove.json': 'theirs\n',
    '.github/workflows/snapshot.yml': 'cron: 60\n',
  })
  rmSync(join(upstream, 'src/old.ts'))
  await git(['add', '--all', '--force'])
  await git(['commit', '--quiet', '--message', 'two'])
  await git(['tag', 'v2'])
})

it('takes over a release, touches nothing of the owner, and leaves workflows to a person', async () => {
  const releases = { upstream, to: 'v2', from: 'v1', owned: ['brand'] }
  const update = await updateTo(releases, gitIn(copy))
  expect(update).toEqual({
    written: ['.gitignore', 'CHANGELOG.md', 'src/größe.ts', 'src/new.ts', 'src/run.ts'],
    removed: ['src/old.ts'],
    workflows: ['.github/workflows/snapshot.yml'],
    changelog: ['- second'],
  })
  for (const [path, text] of Object.entries(OWN)) expect(read(path)).toBe(text)
  expect(read('src/run.ts')).toBe('two\n')
  const staged = await gitIn(copy)(['diff', '--cached', '--name-only', '-z'])
  expect(staged.split('\0')).toEqual(expect.arrayContaining([...update.written]))
  const text = updateMarkdown(releases, update)
  expect(text).toContain('- second')
  expect(text).toContain('- .github/workflows/snapshot.yml')
})

it('refuses a working copy with changes, and has nothing to do a second time', async () => {
  const releases = { upstream, to: 'v2', from: 'v1', owned: [], withWorkflows: true }
  await expect(updateTo(releases, gitIn(copy))).rejects.toThrow('Commit them first')
  await gitIn(copy)(['commit', '--quiet', '--message', 'Update to v2'])
  expect((await updateTo(releases, gitIn(copy))).written).toEqual(['.github/workflows/snapshot.yml'])
  await gitIn(copy)(['commit', '--quiet', '--message', 'Workflows'])
  expect(await updateTo(releases, gitIn(copy))).toMatchObject({ written: [], removed: [], workflows: [] })
})

it('overwrites no file that git does not know', async () => {
  const git = gitIn(copy)
  await git(['rm', '--quiet', 'src/new.ts'])
  await git(['commit', '--quiet', '--message', 'Remove'])
  write(copy, { 'src/new.ts': 'mine\n' })
  const update = updateTo({ upstream, to: 'v2', from: null, owned: [] }, git)
  await expect(update).rejects.toThrow('src/new.ts is new in v2')
  expect(read('src/new.ts')).toBe('mine\n')
})
