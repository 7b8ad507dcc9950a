import { execFile, execFileSync } from 'node:child_process'
import { cpSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { newFolder } from './sample-tree.ts'

const project = fileURLToPath(new URL('..', import.meta.url))

/** What is installed, built or kept beside the project. */
const NOT_COPIED = new Set(['node_modules', '.git', 'dist', '.queue', '.screenshots', '.hosting'])

/** A copy of the project that a test may extend. */
function projectCopy(): string {
  const copy = newFolder()
  for (const name of readdirSync(project))
    if (!NOT_COPIED.has(name))
      cpSync(join(project, name), join(copy, name), {
        recursive: true,
        filter: (path) => !path.endsWith('node_modules'),
      })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  // One of the tests asks git what it would ignore.
  execFileSync('git', ['init', '--quiet'], { cwd: copy })
  return copy
}

/** Runs a program of the project in a copy; resolves to what it printed when it failed, to null when it did not. */
const failureOf = (copy: string, program: string, ...args: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    const { QUOTETREE_TEST_RUN: _, QUOTETREE_TEST_SCALE: __, ...env } = process.env
    const path = join(copy, 'node_modules/.bin', program)
    execFile(path, args, { cwd: copy, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}\n${stderr}`.slice(-4000) : null),
    )
  })

const edit = (file: string, from: string, to: string): void => {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

/** Every test but the ceilings of lines, which a reviewer raises. */
const BUT_LINES = '^(?!.*lines than )'

const guide = readFileSync(join(project, '.github/CONTRIBUTING.md'), 'utf8')

/** The program that the guide shows after it first names this file, without its indent. */
function shownFor(path: string): string {
  const named = guide.indexOf(`\`${path}\``)
  const [, indent = '', code] = /^( *)```ts\n([^]*?)^\1```$/m.exec(guide.slice(named)) ?? []
  if (named < 0 || code === undefined) throw new Error(`CONTRIBUTING.md shows no ${path}.`)
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

it('takes the source of the guide as one file, one line in the table, and two files in the tests', async () => {
  const copy = projectCopy()
  const at = (path: string) => join(copy, path)
  for (const file of ['src/core/sources/acme.ts', 'test/sources/acme.upstream.ts', 'test/sources/acme.test.ts'])
    writeFileSync(at(file), shownFor(file))
  const table = at('src/core/sources/table.ts')
  edit(table, 'import { binance }', "import { acme } from './acme.ts'\nimport { binance }")
  edit(table, '  cryptocom,\n', '  cryptocom,\n  acme,\n')

  expect(await failureOf(copy, 'tsc', '--noEmit')).toBeNull()
  expect(await failureOf(copy, 'prettier', '--check', 'src/core/sources', 'test/sources')).toBeNull()
  const suites = ['acme.test.ts', 'faults/matrix.test.ts', 'architecture.test.ts', 'e2e/planted-keys.test.ts']
  expect(await failureOf(copy, 'vitest', 'run', '--project', 'short', '-t', BUT_LINES, ...suites)).toBeNull()
})

it('takes the endpoint and the export of the guide as one file and one line each', async () => {
  const copy = projectCopy()
  const at = (path: string) => join(copy, path)
  for (const file of ['src/core/endpoints/stablecoins.ts', 'src/exports/symbols.ts'])
    writeFileSync(at(file), shownFor(file))
  const [endpoints, exports] = [at('src/core/endpoints/table.ts'), at('src/exports/table.ts')]
  edit(endpoints, 'import { chainPrices', "import { stablecoins } from './stablecoins.ts'\nimport { chainPrices")
  edit(endpoints, '  collector,\n  manifestPart,', '  stablecoins,\n  collector,\n  manifestPart,')
  edit(exports, 'import { tableViews }', "import { symbolsText } from './symbols.ts'\nimport { tableViews }")
  edit(exports, '    renames,\n', '    renames,\n    symbolsText,\n')
  edit(at('src/core/contract/paths.ts'), "  '/llms.txt',\n", "  '/llms.txt',\n  '/symbols.txt',\n")

  expect(await failureOf(copy, 'tsc', '--noEmit')).toBeNull()
  const suites = ['test/endpoints', 'test/exports', 'test/client', 'test/architecture.test.ts']
  expect(await failureOf(copy, 'vitest', 'run', '--project', 'short', '-t', BUT_LINES, ...suites)).toBeNull()
})

it('takes a new endpoint with a parameter of its own as one file and one line in the table', async () => {
  const copy = projectCopy()
  const at = (path: string) => join(copy, path)
  writeFileSync(
    at('src/core/endpoints/initials.ts'),
    `import * as z from 'zod'
import { type Parameter, printable } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const letter = {
  ...printable,
  description: 'First letter of the slugs.',
  schema: z.string().regex(/^[a-z0-9]$/),
  allowed: 'one letter or digit',
  example: 'b',
} as const satisfies Parameter<string>

export const initials = endpoint('One asset', {
  name: 'initials',
  path: '/initials/:letter',
  description: 'Slugs by their first letter.',
  parameters: { letter },
  members: {
    letter: letter.schema.describe('The letter.'),
    count: z.int().describe('Rows here.'),
    rows: z.array(z.strictObject({ slug: z.string().describe('Slug of a listing.') })).describe('The listings.'),
  },
  keys: ({ listed }) => [...new Set(listed.map(({ asset }) => asset.slug.charAt(0)))].map((letter) => ({ letter })),
  body: ({ listed }, { letter }) => {
    const rows = listed.flatMap(({ asset: { slug } }) => (slug.startsWith(letter) ? [{ slug }] : []))
    return { letter, rows }
  },
})
`,
  )
  edit(
    at('src/core/endpoints/table.ts'),
    'import { chainPrices',
    "import { initials } from './initials.ts'\nimport { chainPrices",
  )
  edit(at('src/core/endpoints/table.ts'), '  collector,\n  manifestPart,', '  initials,\n  collector,\n  manifestPart,')

  expect(await failureOf(copy, 'tsc', '--noEmit')).toBeNull()
  const suites = ['test/endpoints', 'test/exports', 'test/client', 'test/architecture.test.ts', 'test/service/hosts']
  expect(await failureOf(copy, 'vitest', 'run', '--project', 'short', '-t', BUT_LINES, ...suites)).toBeNull()
})
