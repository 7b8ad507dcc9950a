#!/usr/bin/env node
// Node 20 runs no TypeScript. A clone is compiled once for each state of its sources; the package is compiled already.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(`This program needs Node 20.18 or later, and this is Node ${process.versions.node}.\n`)
  process.exit(2)
}

// A run takes some seconds. A server goes on for longer, and answers a quarter fewer requests with any of these flags.
if (!['serve', 'start'].includes(process.argv[2] ?? '')) {
  // Collects garbage when the heap has grown by two fifths, and not by up to four times: a run needs 100 MB less.
  setFlagsFromString('--heap-growing-percent=40')
  // Compiles every function simply and at once, and optimizes it only when it ran nine times as long as usual: optimizing takes
  // a quarter of a run otherwise.
  setFlagsFromString('--always-sparkplug')
  setFlagsFromString('--interrupt-budget=600000')
}

const project = fileURLToPath(new URL('..', import.meta.url))
const cache = join(project, 'node_modules', '.cache', 'quotetree')
/** The compiled programs of other sources are deleted so long after they were compiled. */
const KEPT_MS = 24 * 60 * 60 * 1000

/** Returns a key that changes with every source file, styles included, and with the packages that pages are made of. */
function stateOfSources() {
  const hash = createHash('sha256').update(process.version)
  const state = (name) => {
    const { size, mtimeMs, ctimeMs } = statSync(join(project, name), { throwIfNoEntry: false }) ?? {}
    hash.update(`${join(project, name)} ${size} ${mtimeMs} ${ctimeMs}\n`)
  }
  state('package-lock.json')
  for (const folder of ['src', 'scripts'])
    for (const name of readdirSync(join(project, folder), { recursive: true }).toSorted())
      if (/\.(tsx?|mjs|json|css)$/.test(name)) state(join(folder, name))
  return hash.digest('hex').slice(0, 16)
}

async function compile(folder) {
  const { build } = await import('esbuild')
  const staged = join(cache, `new-${process.pid}`)
  mkdirSync(staged, { recursive: true })
  const plugins = [{ name: 'own-places', setup: (builder) => builder.onLoad({ filter: /\.tsx?$/ }, inItsPlace) }]
  const compiler = join(staged, 'programs.mjs')
  await build({
    absWorkingDir: project,
    entryPoints: ['scripts/programs.ts'],
    outfile: compiler,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    plugins,
  })
  const { compileProgram } = await import(pathToFileURL(compiler).href)
  await compileProgram(staged, plugins)
  // Outside of a package, Node takes .js files for CommonJS.
  writeFileSync(join(staged, 'package.json'), '{"type":"module"}\n')
  try {
    renameSync(staged, folder)
  } catch (error) {
    // Another process compiled the same.
    if (!existsSync(folder)) throw error
    rmSync(staged, { recursive: true, force: true })
  }
  for (const name of readdirSync(cache)) {
    const path = join(cache, name)
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** A module reads the files beside itself where it was written, not where it was compiled to. */
const inItsPlace = ({ path }) => ({
  contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
  loader: path.endsWith('x') ? 'tsx' : 'ts',
})

/** Returns the compiled program; null if the project cannot be written, so that it is compiled module by module in memory. */
async function compiled() {
  const folder = join(cache, stateOfSources())
  try {
    if (!existsSync(folder)) await compile(folder)
    return join(folder, 'quotetree.js')
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error?.code)) throw error
    return null
  }
}

const program = await compiled()
if (program === null) {
  const { register } = await import('tsx/esm/api')
  register({ tsconfig: join(project, 'tsconfig.json') })
}
await import(program === null ? './quotetree.ts' : pathToFileURL(program).href)
