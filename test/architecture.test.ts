import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { group } from 'd3-array'
import { expect, it } from 'vitest'
import { workerProgram } from '../scripts/programs.ts'
import { COMMANDS } from '../scripts/commands.ts'
import { Environment } from '../scripts/environment.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { CONTENT_TYPES } from '../src/core/contract/content-types.ts'

// From the ground up: a file may import its own room and any floor below it, and nothing else in src.
const CORE = [['contract'], ['sources', 'registry'], ['feed'], ['history'], ['endpoints'], ['tree'], ['run']]
const FLOORS = [
  ...CORE,
  ['requests', 'client'],
  ['service', 'changes'],
  ['exports', 'delivery', 'pages'],
  ['check'],
  ['config'],
]
const WRITING = ['delivery', 'requests', 'run', 'sources', 'tree']
const REACHING = ['client', 'delivery', 'pages', 'service', 'sources', 'tree']

// Lines of TypeScript: the most that a folder may have, and what it is to shrink to. Lower a ceiling where lines fall. A
// folder that grows is paid for by another, whose ceiling falls by as much in the same commit: the sum never rises.
const MOST_LINES = 34_186
const LINES: Readonly<Record<string, readonly [most: number, budget: number]>> = {
  contract: [3088, 3400],
  sources: [3905, 4000],
  registry: [433, 450],
  feed: [5003, 5300],
  history: [2673, 1700],
  endpoints: [1569, 1200],
  tree: [1552, 1500],
  requests: [583, 600],
  client: [1152, 1200],
  service: [3036, 2300],
  pages: [4253, 4600],
  changes: [292, 450],
  exports: [892, 1000],
  delivery: [830, 900],
  check: [833, 1300],
  run: [1344, 1300],
  config: [331, 400],
  scripts: [2417, 2600],
}

// What people have to learn. One more is a decision: it is made here.
const words = (text: string) => text.trim().split(/\s+/)
const COMMAND_NAMES = words('start new snapshot serve config registry publish notify verify value diff replay')
const SETTING_NAMES = words(`
  product label site prefix only sources.only sources.off listings cadenceMinutes country rights candles host
  compress pages.logo pages.colours pages.currencies ecosystem.name ecosystem.title registry`)
const VARIABLES = words(`
  MKT_UPSTREAM MKT_NOW COINGECKO_API_KEY COINGECKO_PLAN GITHUB_SHA GITHUB_REPOSITORY GITHUB_SERVER_URL SITE_URL
  HTTPS_PROXY https_proxy NO_PROXY no_proxy S3_ENDPOINT AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  AWS_SESSION_TOKEN QUEUE_TOKEN QUEUE_SECRET QUEUE_API PROXIES HOST PORT`)
const FORMATS = words('.json .html .css .js .csv .ndjson .xml .sql .txt .journal .beancount .svg .gz .parquet')

const root = new URL('..', import.meta.url).pathname
const [src, scripts] = [join(root, 'src'), join(root, 'scripts')]
/** The folder of a file below src, or below src/core. */
const roomOf = (file: string) =>
  relative(src, dirname(file))
    .replace(/^core\//, '')
    .split('/')[0] || '.'
const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)))

const textOf = (file: string) => readFileSync(file, 'utf8')
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name))
    .map((name) => join(folder, name))
const sourceFiles = filesIn(src)
const importsIn = (file: string) =>
  [...textOf(file).matchAll(/(?:from|import|import\() ?'(\.[^']+)'/g)].map(([, target = '']) =>
    join(dirname(file), target),
  )
const imports = sourceFiles.flatMap((file) => importsIn(file).map((target) => ({ file, target })))

/** Files of src whose text matches, as paths below src. */
const matching = (pattern: RegExp) =>
  sourceFiles.filter((file) => pattern.test(textOf(file))).map((file) => relative(src, file))
const roomsOf = (files: readonly string[]) => [...new Set(files.map((file) => roomOf(join(src, file))))].toSorted()

it.each(imports.map(({ file, target }) => [relative(src, file), relative(src, target), file, target] as const))(
  '%s may import %s',
  (_, __, file, target) => {
    const allowed = roomOf(file) === roomOf(target) || floorOf(target) < floorOf(file)
    expect(floorOf(file)).toBeGreaterThanOrEqual(0)
    expect(allowed).toBe(true)
  },
)

it('reads neither the environment nor the clock below scripts', () => {
  const guilty = imports
    .map(({ file }) => file)
    // A page is a program of its own, and these are what it knows of the browser around it.
    .filter((file) => !/\/pages\/(?:api|start)\.tsx?$/.test(file))
    .filter((file) => /process\.env|Date\.now\(|new Date\(\)|Math\.random\(/.test(readFileSync(file, 'utf8')))
  expect([...new Set(guilty)]).toEqual([])
})

it('writes files in five folders', () => {
  const writes =
    /\b(?:(?:append|output|write)File|copy|ensureDir|link|mkdir|mkdtemp|move|rename|rm|truncate|unlink|utimes|write)(?:Sync)?\(/
  const writing = matching(/from '(?:node:fs(?:\/promises)?|fs-extra)'/).filter((file) =>
    writes.test(textOf(join(src, file))),
  )
  expect(roomsOf(writing)).toEqual(WRITING)
})

it('uses the network in six folders', () => {
  // A source sends its requests through `http`, and the sample is asked nothing.
  const reaches =
    /from '(?:undici|node:https?|node:net|node:tls|aws4fetch|@hono\/node-server)'|(?<![\w.'*])fetch\((?!'?http|\)|this)/
  expect(roomsOf(matching(reaches))).toEqual(REACHING)
})

it('writes the lengths of time, the form of times and the digests in one module each', () => {
  expect(matching(/86_?400_?000|3_?600_?000/)).toEqual([])
  expect(matching(/toISOString\(\)\s*\.slice/)).toEqual(['core/contract/time.ts'])
  expect(matching(/\bcreateHash\b/)).toEqual(['core/contract/digest.ts'])
})

// Of another process: a test beside this one may have added the names of a browser.
const BUILT_IN = execFileSync(process.execPath, ['-p', 'Object.getOwnPropertyNames(globalThis).join(" ")'], {
  encoding: 'utf8',
})
  .split(/\s+/)
  .filter((name) => /^[A-Z]/.test(name))

it('names nothing as the language or Node does', () => {
  const types = ['Awaited', 'Exclude', 'Extract', 'Omit', 'Parameters', 'Partial', 'Pick', 'Record', 'ReturnType']
  const builtIn = new Set([...BUILT_IN, ...types])
  const shadows = [...sourceFiles, ...filesIn(scripts)].flatMap((file) =>
    [...textOf(file).matchAll(/^(?:export )?(?:const|class|type|interface|(?:async )?function\*?) (\w+)/gm)].flatMap(
      ([, name = '']) => (builtIn.has(name) ? [`${relative(root, file)}: ${name}`] : []),
    ),
  )
  expect(shadows).toEqual([])
})

it('declares each exported name once', () => {
  // The client names its rows as the contract does, and one script has the text of modules.
  const excepted = ['src/client/answers.ts', 'scripts/client.ts'].map((file) => join(root, file))
  const files = [...sourceFiles, ...filesIn(scripts)].filter((file) => !excepted.includes(file))
  const declared = files.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)].map(
      ([, name = '']) => ({ name, file: relative(root, file) }),
    ),
  )
  const places = group(declared, ({ name }) => name)
  const twice = [...places].flatMap(([name, all]) => {
    const own = [...new Set(all.map(({ file }) => file))]
    // Each command of the program is the `command` of its file.
    return own.length > 1 && name !== 'command' ? [`${name}: ${own.join(', ')}`] : []
  })
  expect(twice).toEqual([])
})

it('has no file that nothing imports', () => {
  const files = [...sourceFiles, ...filesIn(scripts)]
  const imported = new Set(files.flatMap(importsIn))
  const callers = files.map(textOf).join('')
  // The bundler and `npm` name their entries by path or by name, in quotes.
  const isNamed = (file: string) =>
    callers.includes(`${basename(file)}'`) || callers.includes(`'${basename(file).replace(/\.tsx?$/, '')}'`)
  // `tsconfig.json` names what publishers import.
  const named = textOf(join(root, 'package.json')) + textOf(join(root, 'tsconfig.json'))
  const alone = files.filter((file) => !imported.has(file) && !isNamed(file) && !named.includes(relative(root, file)))
  expect(alone.map((file) => relative(root, file))).toEqual([])
})

it('asks for nothing of Node in the program of the Worker', async () => {
  expect(await workerProgram()).not.toMatch(/from ?"node:/)
})

it('is written in the words of the field', () => {
  const old = /\b(?:tells|stands|goes on from|rests|of ours|nobody|whoever|so many|anew|at the most|acquaintance)\b/i
  const texts = readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|yml)$/.test(name))
    .map((name) => join(root, '.github', name))
  const files = [...sourceFiles, ...filesIn(scripts), ...filesIn(join(root, 'test')), ...texts]
  const guilty = files.filter((file) => !file.endsWith('architecture.test.ts') && old.test(textOf(file)))
  expect(guilty.map((file) => relative(root, file))).toEqual([])
})

it('keeps only folders in src', () => {
  expect(
    readdirSync(src, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])),
  ).toEqual([])
})

const linesIn = (folder: string) =>
  filesIn(folder)
    .filter((file) => /\.tsx?$/.test(file))
    .reduce((lines, file) => lines + textOf(file).split('\n').length - 1, 0)

const ROOMS = [...readdirSync(src), ...readdirSync(join(src, 'core')), 'scripts'].filter((name) => name !== 'core')

it.each(ROOMS)('%s has no more lines than it may', (name) => {
  const folder = CORE.flat().includes(name) ? join(src, 'core', name) : join(src, name)
  expect(linesIn(name === 'scripts' ? scripts : folder)).toBeLessThanOrEqual(LINES[name]?.[0] ?? 0)
})

it('keeps in src/core what makes the API, which imports nothing of the rest', () => {
  expect(readdirSync(join(src, 'core')).toSorted()).toEqual(CORE.flat().toSorted())
  const inCore = (file: string) => relative(src, file).startsWith('core/')
  expect(imports.filter(({ file, target }) => inCore(file) && !inCore(target))).toEqual([])
})

it('lets no folder grow that no other pays for', () => {
  expect(Object.values(LINES).reduce((sum, [most]) => sum + most, 0)).toBeLessThanOrEqual(MOST_LINES)
})

it('has the commands, settings, variables and formats that it lists', () => {
  expect(Object.keys(COMMANDS)).toEqual(COMMAND_NAMES)
  expect(SETTINGS.map(({ path }) => path)).toEqual(SETTING_NAMES)
  expect(Object.keys(Environment.shape)).toEqual(VARIABLES)
  expect(Object.keys(CONTENT_TYPES)).toEqual(FORMATS)
})
