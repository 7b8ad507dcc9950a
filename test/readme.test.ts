import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DAYS } from '../src/core/contract/history.ts'
import { answered } from '../src/core/endpoints/table.ts'
import { liveSources } from '../src/core/sources/table.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(project, file), 'utf8')
const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')))

const documents = [
  'README.md',
  ...readdirSync(join(project, '.github'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('.github', file)),
]

describe.each(documents)('%s', (document) => {
  const text = read(document)

  it('links only to files that are there', () => {
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target)
    expect(targets.filter((target) => !existsSync(join(project, dirname(document), target)))).toEqual([])
  })

  it('names only commands that the project has', () => {
    const named = [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z][a-z:-]*)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

/** Where each command of the README is run, so that a line which stops working fails a test. */
const RUN_BY: Readonly<Record<string, string>> = {
  'npm start': 'test/e2e/serve-command.test.ts',
  'npm test': '.ci/run',
  'npm run snapshot': 'test/e2e/snapshot-command.test.ts',
  'npm run serve': 'test/e2e/serve-command.test.ts',
  'npm run verify': 'test/e2e/diff-commands.test.ts',
  'npm run config': 'test/e2e/hosting-commands.test.ts',
  'npm run diff': 'test/e2e/diff-commands.test.ts',
  'npm run replay': 'test/e2e/replay-command.deep.test.ts',
  'npm run registry': 'test/e2e/review-processes.test.ts',
  'npm run new': 'test/scripts/new.test.ts',
}

/** Words of documents that people are to finish. */
const wordsOf = (...files: readonly string[]): number =>
  files.flatMap((file) => read(file).split(/\s+/)).filter((word) => /[a-z0-9]/i.test(word)).length
const docs = (...names: readonly string[]) => names.map((name) => `.github/docs/${name}.md`)

it.each([
  [700, ['README.md']],
  [3500, docs('operating', 'hosting', 'moving-up')],
  [1500, docs('method')],
  [1500, ['.github/CONTRIBUTING.md']],
  [600, ['.github/SECURITY.md']],
  [12_000, documents],
])('has at most %i words: %s', (most, files) => expect(wordsOf(...files)).toBeLessThanOrEqual(most))

it('has the right numbers', () => {
  const readme = read('README.md')
  const numberIn = (pattern: RegExp) => Number(pattern.exec(readme)?.[1])
  expect(numberIn(/from (\d+)\s+public sources/)).toBe(liveSources({}).length)
  expect(readme).toContain(`| ${DAYS.slice(0, -1).join(', ').replace('7', '7 (default)')} or ${DAYS.at(-1)} days |`)
  const { engines } = z.object({ engines: z.object({ node: z.string() }) }).parse(JSON.parse(read('package.json')))
  expect(engines.node).toBe(`>=${/Node (\S+) or later/.exec(readme)?.[1]}`)
})

it('lists every endpoint of the table', () => {
  const rows = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `/'))
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\/[^`?]*)/g)].map(([, path = '']) => path),
  )
  const shape = (path: string) => path.replaceAll(/:[a-z_]+/g, ':')
  // The whole of a selection, the manifest and the index are found from the document of the index.
  const unlisted = [
    '/changes/:',
    '/contracts/:',
    '/ids/:',
    '/listing-requests/:',
    '/manifest',
    '/manifest/:',
    '/rights',
    '',
  ]
  const paths = answered.map(({ path }) => shape(path)).filter((path) => !unlisted.includes(path))
  expect(new Set(listed.map(shape))).toEqual(new Set(paths))
})

it('shows no command that neither a test nor CI runs', () => {
  const blocks = [...read('README.md').matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  const commands = blocks
    .flatMap((block) => block.split(/\n|&&/))
    .map((line) => /^\s*(npm (?:run [a-z-]+|start|test))/.exec(line)?.[1])
    .filter((command) => command !== undefined)
  expect(commands.filter((command) => !(command in RUN_BY))).toEqual([])
  for (const command of new Set(commands)) {
    const file = RUN_BY[command] ?? ''
    expect(read(file), `${file} runs ${command}`).toContain(command.replace(/^npm (run )?/, ''))
  }
})
