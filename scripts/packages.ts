import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type BuildOptions, type Metafile, build } from 'esbuild'
import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { Config, SETTINGS } from '../src/config/settings.ts'
import { ASSETS } from '../src/core/registry/asset-files.ts'
import { methodTypesSource, packedAnswersSource } from './client.ts'
import { TEMPLATE, WORKFLOWS } from './new.ts'
import { compileProgram } from './programs.ts'
import { say } from './terminal.ts'
import { typesSource } from './type-source.ts'
import { main } from './usage.ts'

const project = fileURLToPath(new URL('..', import.meta.url))

const Packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
])

async function packed(destination: string, write: (folder: string) => Promise<object>) {
  mkdirSync(destination, { recursive: true })
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return inNewFolder(async (folder) => {
    const stated = await write(folder)
    // npm compares it with the provenance.
    const origin = server && repository ? { repository: { type: 'git', url: `git+${server}/${repository}.git` } } : {}
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...stated, ...origin }, null, 2)}\n`)
    copyFileSync(join(project, 'LICENSE'), join(folder, 'LICENSE'))
    const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination]
    const output = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Packed.parse(JSON.parse(output))[0]
  })
}

async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'quotetree-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const Schemas = z.record(z.string(), z.record(z.string(), z.json()))

function configTypes(): string {
  const { $defs = {}, properties = {}, ...config } = z.toJSONSchema(Config, { io: 'input' })
  const described = Object.entries(properties).map(([name, property]) => {
    const description = SETTINGS.find(({ path }) => path === name)?.about
    return [name, description === undefined ? property : Object.assign({}, property, { description })] as const
  })
  const schemas = { ...$defs, Config: { ...config, properties: Object.fromEntries(described) } }
  return `${typesSource(Schemas.parse(schemas))}
/** Returns the settings unchanged. It is there so that an editor knows their names and types. */
export declare function defineConfig(config: Config): Config
`
}

const Licensed = z.object({ license: z.string() })

function licencesOf({ inputs }: Metafile): string {
  const packages = Object.keys(inputs).flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  return [...new Set(packages)]
    .toSorted()
    .map((name) => {
      const folder = join(project, 'node_modules', name)
      const textOf = (file: string) => readFileSync(join(folder, file), 'utf8').trim()
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
      const licence = file === undefined ? Licensed.parse(JSON.parse(textOf('package.json'))).license : textOf(file)
      return `${name}\n\n${licence}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

export const packEngine = (destination: string) =>
  packed(destination, async (folder) => {
    writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(await compileProgram(folder)))
    writeFileSync(join(folder, 'config.js'), 'export const defineConfig = (config) => config\n')
    writeFileSync(join(folder, 'config.d.ts'), configTypes())
    cpSync(ASSETS, join(folder, 'assets'), { recursive: true })
    cpSync(TEMPLATE, join(folder, 'template'), { recursive: true })
    cpSync(join(project, 'scripts/hosts/files'), join(folder, 'hosts/files'), { recursive: true })
    for (const file of WORKFLOWS) cpSync(join(project, file), join(folder, 'template', file))
    copyFileSync(join(project, 'README.md'), join(folder, 'README.md'))
    const { private: _, scripts: __, devDependencies: ___, allowScripts: ____, ...stated } = manifest
    return {
      ...stated,
      bin: { quotetree: 'quotetree.js' },
      exports: { '.': { types: './config.d.ts', default: './config.js' } },
      files: ['*.js', 'LICENSES.txt', 'config.d.ts', 'assets', 'hosts', 'template'],
      dependencies: { esbuild: manifest.dependencies.esbuild },
    }
  })

// The options of tsconfig.json, repeated because tsc ignores the configuration when given files.
const TYPE_OPTIONS =
  '--ignoreConfig --declaration --emitDeclarationOnly --strict --exactOptionalPropertyTypes --skipLibCheck ' +
  '--target es2023 --lib es2023,es2024.string,dom,dom.iterable,dom.asynciterable --module nodenext ' +
  '--allowImportingTsExtensions --types node --rootDir . --outDir compiled'

/** Writes the types of the client. The answers, which the source infers from the schemas, are written out: it has no zod. */
const writeClientTypes = (folder: string) =>
  inNewFolder(async (copy) => {
    for (const room of ['client', 'core/contract'])
      cpSync(join(project, 'src', room), join(copy, room), { recursive: true })
    writeFileSync(join(copy, 'client/answers.ts'), await packedAnswersSource())
    writeFileSync(join(copy, 'client/method-types.ts'), await methodTypesSource())
    symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
    const args = [join(project, 'node_modules/typescript/bin/tsc'), 'client/client.ts', ...TYPE_OPTIONS.split(' ')]
    execFileSync(process.execPath, args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] })
    writeDeclarations(join(copy, 'compiled/client'), folder)
  })

/** Writes every declaration that is reachable from the entry, for each kind of module. Others are internal. */
function writeDeclarations(compiled: string, folder: string, name = 'client'): void {
  const text = readFileSync(join(compiled, `${name}.d.ts`), 'utf8')
  const imported = / from '(\.\/[\w-]+)\.ts'/g
  // Resolvers look for the JavaScript of a declaration, and take the kind of a module from its name.
  writeFileSync(join(folder, `${name}.d.ts`), text.replaceAll(imported, ` from '$1.js'`))
  writeFileSync(join(folder, `${name}.d.cts`), text.replaceAll(imported, ` from '$1.cjs'`))
  const written = new Set(readdirSync(folder))
  for (const [, path = ''] of text.matchAll(imported))
    if (!written.has(`${basename(path)}.d.ts`)) writeDeclarations(compiled, folder, basename(path))
}

const CLIENT: BuildOptions = {
  entryPoints: [join(project, 'src/client/client.ts')],
  platform: 'neutral',
  target: 'es2022',
  // Its users name another prefix as an option.
  define: { API_PREFIX: 'undefined' },
}

const CLIENT_PROGRAMS: Readonly<Record<string, BuildOptions>> = {
  'client.js': { ...CLIENT, format: 'esm' },
  'client.cjs': { ...CLIENT, format: 'cjs' },
  'mcp.js': {
    entryPoints: [join(project, 'scripts/hosts/mcp.ts')],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    banner: { js: '#!/usr/bin/env node' },
  },
}

export const packClient = (destination: string) =>
  packed(destination, async (folder) => {
    for (const [file, options] of Object.entries(CLIENT_PROGRAMS))
      // oxlint-disable-next-line no-await-in-loop -- there are three
      await build({ ...options, outfile: join(folder, file), bundle: true, minify: true })
    await writeClientTypes(folder)
    copyFileSync(join(project, 'src/client/README.md'), join(folder, 'README.md'))
    return z.looseObject({}).parse(JSON.parse(readFileSync(join(project, 'src/client/package.json'), 'utf8')))
  })

const HELP = `npm run pack -- [folder] [--engine]
Packs the program and the client as .tgz files into a folder, this one by default. --engine leaves the client out.`

async function packAll(): Promise<number> {
  const options = { help: { type: 'boolean', short: 'h' }, engine: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const folder = resolve(positionals[0] ?? '.')
  if (values.help) say(HELP)
  for (const pack of values.help ? [] : values.engine ? [packEngine] : [packEngine, packClient]) {
    // oxlint-disable-next-line no-await-in-loop -- each starts a compiler
    const { filename, size, files } = await pack(folder)
    const paths = files.map(({ path }) => `  ${path}`).toSorted()
    const summary = `${filename}: ${files.length} files, ${size} bytes. npm install ${resolve(folder, filename)}`
    say([...paths, summary].join('\n'))
  }
  return 0
}

if (process.argv[1] === import.meta.filename) await main(packAll)
