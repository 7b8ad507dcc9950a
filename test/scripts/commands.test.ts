import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ABOUT, COMMANDS, dispatch, firstSentence, programHelp } from '../../scripts/commands.ts'
import { run } from '../e2e/commands.ts'
import { newFolder, sharedSampleTree } from '../sample-tree.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(project, file), 'utf8')
const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')))
const loaded = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, load]) => ({ name, command: (await load()).command })),
)
/** The options of each command, npm run config included. */
const optionsOf = new Map(loaded.map(({ name, command }) => [name, command.options]))

describe.each(loaded)('$name', ({ name, command }) => {
  it('is a script of the project, and in the help', () => {
    expect(scripts[name]).toBe(`node scripts/quotetree.mjs ${name}`)
    expect(programHelp()).toContain(`  ${name} `)
  })

  it('names only options that exist in its help', () => {
    const help = command.help(name, new Map(Object.entries(ABOUT)).get(name) ?? '')
    const named = [...help.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, option = '']) => option)
    const own = optionsOf.get(name) ?? []
    // A help text may name an option of another command, after the name of that command.
    const others = [...help.matchAll(/npm run [a-z-]+ -- [^\n]*?--([a-z][a-z-]*)|--([a-z-]+) of [a-z]+/g)].map(
      ([, after = '', before = '']) => after || before,
    )
    expect(named.filter((option) => !own.includes(option) && !others.includes(option))).toEqual([])
    expect(help).not.toMatch(/undefined|\[object/)
  })

  it('takes --quiet and --json', () => expect(command.options).toEqual(expect.arrayContaining(['quiet', 'json'])))

  it('refuses an option and an argument that it does not have in one sentence', async () => {
    const wrong = async (...args: string[]) =>
      Promise.resolve()
        .then(() => command.execute(name, args))
        .catch((error: unknown) => (error instanceof Error ? error.message : error))
    expect(await wrong('--hepl-me-now')).toMatch(
      new RegExp(`^There is no option --hepl-me-now\\.( Did you mean --[a-z-]+\\?)? See npx quotetree ${name} --help$`),
    )
    if (command.operands === undefined) expect(await wrong('stray')).toContain('"stray" is one argument too many.')
  })
})

const texts = ['README.md', ...readdirSync(join(project, '.github/docs')).map((file) => join('.github/docs', file))]
  .filter((file) => file.endsWith('.md'))
  .concat(readdirSync(join(project, '.github/workflows')).map((file) => join('.github/workflows', file)))

it.each(texts)('%s names only options that the commands have', (file) => {
  // A line of a script may go on after a backslash.
  const calls = [
    ...read(file)
      .replaceAll(/\\\n\s*/g, ' ')
      .matchAll(/npm run (?:--silent )?([a-z-]+) -- ([^\n`|]*)/g),
  ]
  const strays = calls.flatMap(([, name = '', rest = '']) =>
    [...(rest.split(/&&|>|;/)[0] ?? '').matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].flatMap(([, option = '']) => {
      const own = optionsOf.get(name)
      return own === undefined || own.includes(option) ? [] : [`${name} --${option}`]
    }),
  )
  expect(strays).toEqual([])
})

it('has at most 13 commands, each with a whole sentence in the help', () => {
  expect(loaded.length).toBeLessThanOrEqual(13)
  for (const about of Object.values(ABOUT)) expect(firstSentence(about)).toMatch(/^[A-Z].*\.$/)
})

it('names a file of amounts that does not exist, in one sentence', async () => {
  expect(await run('value', ['nowhere.csv'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'There is no file nowhere.csv. Name a CSV file, or - for standard input.\n',
  })
})

it('values rows as they are given, with the price of a day that is not over as provisional', async () => {
  const [tree, place] = [await sharedSampleTree(), newFolder()]
  const file = join(place, 'in.csv')
  mkdirSync(place, { recursive: true })
  writeFileSync(file, 'asset,amount,time,=1+1\nbitcoin,x,2026-11-20,@a\nbitcoin,2,2026-11-20,-1\n')
  const { code, stdout } = await run('value', [file, '--tree', tree, '--method=close'])
  const [head, first, second] = stdout.split('\n')
  expect([code, head]).toEqual([1, expect.stringMatching(/^asset,amount,time,'=1\+1,/)])
  expect(first).toContain('is not an amount.')
  expect(first).toMatch(/^bitcoin,x,2026-11-20,/)
  expect(second).toMatch(/^bitcoin,2,2026-11-20,-1,.*,2026-11-20T12:00:00Z,\w+ \(provisional\),/)
})

it.each([
  [['snapshot', '--sources', 'sample', '--out', '/proc/x'], '/proc/x is of the system. Name a place on a disk.'],
  [['new', '/proc/x'], '/proc/x is of the system. Name a place on a disk.'],
  [['snapshot', '--report', '/nowhere/x.json'], 'There is no folder /nowhere for the file x.json.'],
  [['snapshot', '--summary', 'src'], 'src is a folder. Name a file.'],
  [['snapshot', '--record', '/proc/x', '--record-only'], '/proc/x is of the system. Name a place on a disk.'],
  [['registry', '--queue', 'package.json'], '--queue takes a folder, and package.json is a file.'],
  [['snapshot', '--out', ''], 'A path is empty. Name a file or a folder.'],
  [['verify', '--host', 'static'], '--host is for --http, which tests the answers of a site.'],
  [['config', '--out', 'x'], '--out and --database are for the files of a host: name it with --host.'],
  [['config', '--host', 'docker', '--out', 'x'], /^The files of docker name each other below/],
  [['config', '--host', 'cloudflare', '--database', 'x'], /^--database takes the id that wrangler d1 create printed/],
  [['snapshot', '--record', 'package.json'], '--record takes a folder, and package.json is a file.'],
  [['snapshot', '--recordings', '/nowhere'], 'There is no recording /nowhere. Name a folder or a file.'],
  [['new', 'package.json'], /package\.json cannot be used: not a directory\. Name another\.$/],
  [['publish', '--tree', '/nowhere', '--to', 's3://bucket'], '/nowhere does not exist. Run npm run snapshot first.'],
])('refuses %j in one sentence, before anything is written', async ([name = '', ...args], sentence) => {
  const { code, stdout, stderr } = await run(name, args)
  expect([code, stdout, stderr.trimEnd()]).toEqual([
    2,
    '',
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  ])
})

it('begins no feed where the data branch has one, and nothing that could be extended is named', async () => {
  const [remote, out] = [newFolder(), newFolder()]
  mkdirSync(remote, { recursive: true })
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: remote })
  git('init', '--quiet', '--initial-branch=snapshots')
  git('commit', '--quiet', '--allow-empty', '--message=facts')
  const { code, stderr } = await run('snapshot', ['--sources=sample', '--out', out, '--begin', `git+${remote}`])
  expect([code, existsSync(join(out, 'api'))]).toEqual([3, false])
  expect(stderr).toContain('has nothing to extend. Name where the last publication is with --from')
})

it('understands how people ask for help', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const printed = async (...args: string[]) => {
    await dispatch(args)
    return String(log.mock.lastCall?.[0])
  }
  try {
    for (const args of [[], ['--help'], ['-h'], ['help']]) expect(await printed(...args)).toBe(programHelp())
    for (const args of [
      ['help', 'diff'],
      ['diff', '-h'],
      ['diff', 'a', '--help', '--no-such-option'],
    ])
      expect(await printed(...args)).toContain('npx quotetree diff <A> <B> [options]')
  } finally {
    log.mockRestore()
  }
  await expect(dispatch(['snapsht'])).rejects.toThrow('There is no command "snapsht". Did you mean snapshot?')
})

it('is compiled for every user of the machine', () => {
  const help = execFileSync(process.execPath, [join(project, 'scripts/quotetree.mjs'), '--help'], { encoding: 'utf8' })
  expect(help).toContain('npx quotetree')
  const cache = join(project, 'node_modules/.cache/quotetree')
  const folders = readdirSync(cache).map((name) => statSync(join(cache, name)))
  expect((folders.toSorted((a, b) => b.mtimeMs - a.mtimeMs)[0]?.mode ?? 0) & 0o055).toBe(0o055)
})

it('prints no colour where there is no terminal', () => {
  expect(programHelp()).not.toContain('\u001b')
})
