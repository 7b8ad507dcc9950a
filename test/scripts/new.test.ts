import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { COMMANDS } from '../../scripts/commands.ts'
import { ENGINE_VERSION } from '../../scripts/environment.ts'
import { TEMPLATE, publisherFiles } from '../../scripts/new.ts'
import { settingsWith } from '../../scripts/settings.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { addressOf, ended, run } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'
import { installEngine } from './installed.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const WORKFLOWS = ['publish', 'registry', 'snapshot'].map((name) => `.github/workflows/${name}.yml`)
const template = (file: string): string => readFileSync(join(TEMPLATE, file), 'utf8')

it('writes the files of the template, with the name of the feed and the version of the program', () => {
  const files = publisherFiles('My Prices', [], ENGINE_VERSION, null)
  expect([...files.keys()].map((path) => path.replace('.gitignore', 'gitignore')).toSorted()).toEqual(
    [...filesBelow(TEMPLATE, ''), ...WORKFLOWS].toSorted(),
  )
  for (const file of WORKFLOWS) expect(files.get(file)).toBe(readFileSync(join(project, file), 'utf8'))
  expect(files.size).toBe(9)
  expect(readFileSync(join(project, 'README.md'), 'utf8')).toContain('starts a feed of your own in nine files.')
  for (const [path, text] of [...files].filter(([path]) => !WORKFLOWS.includes(path)))
    expect(text.replace(`"${ENGINE_VERSION}"`, '"*"'), path).toBe(template(path.replace('.gitignore', 'gitignore')))
  const released = publisherFiles('Grove Prices', [], '1.2.3', 'someone/quotetree')
  expect(released.get('package.json')).toContain('"grove-prices"')
  expect([released.size, released.get('.github/workflows/snapshot.yml')]).toEqual([
    8,
    expect.stringContaining(`uses: someone/quotetree/.github/workflows/publish.yml@v${ENGINE_VERSION}`),
  ])
})

it('gives the feed a script for each command but the one that made it', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(template('package.json')))
  const commands = Object.keys(COMMANDS).filter((name) => name !== 'new')
  expect(scripts).toEqual(Object.fromEntries(commands.map((name) => [name, `quotetree ${name}`])))
})

it('replaces no file, and names what is wrong in one sentence', async () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'notes.txt'), '')
  const told = async (...args: string[]) => (await run('new', args)).stderr
  expect(await told(folder)).toBe(`${folder} is not empty: it has notes.txt. Name a new folder.\n`)
  expect(await told()).toContain('Name one folder')
  const fresh = join(folder, 'fresh')
  expect(await told(fresh, '--product', '{x}')).toContain('--product takes a name of at most 60 characters')
  expect(await told(fresh, '--asset', 'GROVE')).toContain('--asset takes SYMBOL=Name')
  expect(filesBelow(folder, '')).toEqual(['notes.txt'])
})

it('says which version does not know a setting of another one', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'quotetree.config.ts'), 'export default { candleColours: {} }')
  await expect(settingsWith({}, folder)).rejects.toThrow(
    `quotetree.config.ts, read by version ${ENGINE_VERSION}: there is no setting candleColours. Did you mean pages.colours?`,
  )
})

it.each([
  ['while (true) {}', 'quotetree.config.ts cannot be run: Script execution timed out'],
  ['throw new Error("no port")', 'quotetree.config.ts cannot be run: no port'],
  ['import "nowhere"; export default {}', /cannot be run: Cannot find module 'nowhere'$/],
  ['export default new Promise(() => {})', 'quotetree.config.ts exports a promise by default.'],
  ['export const product = "x"', 'quotetree.config.ts exports nothing by default.'],
  ['export default {', 'quotetree.config.ts cannot be read: line 1: '],
])('refuses a configuration that has no settings: %s', async (text, sentence) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'quotetree.config.ts'), text)
  await expect(settingsWith({}, folder)).rejects.toThrow(sentence)
})

const Feed = z.object({ product: z.string(), rows: z.array(z.object({ slug: z.string(), symbol: z.string() })) })

function serving(engine: string, folder: string): ChildProcess {
  const env = { ...process.env, PORT: '0', MKT_NOW: '2026-11-20T12:00:00Z' }
  return spawn(process.execPath, [join(engine, 'quotetree.js'), 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

it('leads from an empty folder to a served feed with a name and two assets of its own in three commands', async () => {
  const place = newFolder()
  const engine = await installEngine(place)
  const assets = ['--asset', 'GROVE=Grove Coin', '--asset', 'GGOLD=Grove Gold']
  const folder = join(place, 'feed')
  const args = [join(engine, 'quotetree.js'), 'new', 'feed', '--product', 'Grove Prices', ...assets]
  expect(execFileSync(process.execPath, args, { cwd: place, encoding: 'utf8' })).toContain('cd feed && npm install')

  // The second command is npm install. The whole sample takes longer, and says no more.
  await installEngine(folder)
  const config = join(folder, 'quotetree.config.ts')
  writeFileSync(config, readFileSync(config, 'utf8').replace('registry:', 'listings: 12,\n  registry:'))

  const server = serving(engine, folder)
  const address = await addressOf(server)
  expect(Feed.parse(await (await fetch(`${address}/api/mkt/own`)).json())).toMatchObject({
    product: 'Grove Prices',
    rows: [{ slug: 'grove-coin', symbol: 'GROVE' }, { slug: 'grove-gold' }],
  })
  expect(await (await fetch(`${address}/`)).text()).toContain('Grove Prices')
  server.kill('SIGTERM')
  await ended(server)
})
