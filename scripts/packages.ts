import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type BuildOptions, type Metafile, build } from 'esbuild'
import fse from 'fs-extra'
import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { Config } from '../src/config/settings.ts'
import { ASSETS } from '../src/core/registry/asset-files.ts'
import { methodTypesSource, packedAnswersSource } from './client.ts'
import { TEMPLATE, WORKFLOWS } from './new.ts'
import { compileProgram, withRoutes } from './programs.ts'
import { say } from './terminal.ts'
import { typesSource } from '../src/exports/type-source.ts'
import { main } from './command.ts'

const project = fileURLToPath(new URL('..', import.meta.url))

const Packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
])

async function packed(destination: string, write: (folder: string) => Promise<object>) {
  fse.ensureDirSync(destination)
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return inNewFolder(async (folder) => {
    const stated = await write(folder)
    // npm compares it with the provenance.
    const origin = server && repository ? { repository: { type: 'git', url: `git+${server}/${repository}.git` } } : {}
    fse.writeJsonSync(join(folder, 'package.json'), { ...stated, ...origin }, { spaces: 2 })
    fse.copySync(join(project, 'LICENSE'), join(folder, 'LICENSE'))
    const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination]
    const output = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Packed.parse(JSON.parse(output))[0]
  })
}

async function inNewFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = fse.mkdtempSync(join(tmpdir(), 'quotetree-'))
  try {
    return await work(folder)
  } finally {
    fse.removeSync(folder)
  }
}

function configTypes(): string {
  const { $defs = {}, ...config } = z.toJSONSchema(Config, { io: 'input' })
  return `${typesSource({ ...$defs, Config: config })}
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
      const textOf = (file: string) => fse.readFileSync(join(folder, file), 'utf8').trim()
      const file = fse.readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
      const licence = file === undefined ? Licensed.parse(JSON.parse(textOf('package.json'))).license : textOf(file)
      return `${name}\n\n${licence}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

export const packEngine = (destination: string) =>
  packed(destination, async (folder) => {
    fse.writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(await compileProgram(folder)))
    fse.writeFileSync(join(folder, 'config.js'), 'export const defineConfig = (config) => config\n')
    fse.writeFileSync(join(folder, 'config.d.ts'), configTypes())
    fse.copySync(ASSETS, join(folder, 'assets'))
    fse.copySync(TEMPLATE, join(folder, 'template'))
    fse.copySync(join(project, 'scripts/hosts/files'), join(folder, 'hosts/files'))
    for (const file of WORKFLOWS) fse.copySync(join(project, file), join(folder, 'template', file))
    fse.copySync(join(project, 'README.md'), join(folder, 'README.md'))
    const { private: _, scripts: __, devDependencies: ___, allowScripts: ____, ...stated } = manifest
    return {
      ...stated,
      bin: { quotetree: 'quotetree.js' },
      exports: { '.': { types: './config.d.ts', default: './config.js' } },
      files: ['*.js', 'LICENSES.txt', 'config.d.ts', 'assets', 'hosts', 'template'],
      dependencies: { esbuild: manifest.dependencies.esbuild },
    }
  })

/** What differs from tsconfig.json. */
const EMITS = { noEmit: false, declaration: true, emitDeclarationOnly: true, verbatimModuleSyntax: false }

/** Writes the types of the client. The answers, which the source infers from the schemas, are written out: it has no zod. */
const writeClientTypes = (folder: string) =>
  inNewFolder(async (copy) => {
    for (const room of ['client', 'core/contract']) fse.copySync(join(project, 'src', room), join(copy, room))
    fse.writeFileSync(join(copy, 'client/answers.ts'), packedAnswersSource())
    fse.writeFileSync(join(copy, 'client/method-types.ts'), methodTypesSource())
    const routes = "import type { Routes } from './route.ts'\nexport declare const ROUTES: Routes\n"
    fse.writeFileSync(join(copy, 'client/methods.ts'), routes)
    fse.symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
    const config = { extends: join(project, 'tsconfig.json'), files: ['client/client.ts'], include: [] }
    fse.writeJsonSync(join(copy, 'tsconfig.json'), { ...config, compilerOptions: { ...EMITS, outDir: 'compiled' } })
    const args = [join(project, 'node_modules/typescript/bin/tsc'), '--project', copy]
    execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    writeDeclarations(join(copy, 'compiled/client'), folder)
  })

/** Writes every declaration that is reachable from the entry, for each kind of module. Others are internal. */
function writeDeclarations(compiled: string, folder: string, name = 'client'): void {
  const text = fse.readFileSync(join(compiled, `${name}.d.ts`), 'utf8')
  const imported = / from '(\.\/[\w-]+)\.ts'/g
  // Resolvers look for the JavaScript of a declaration, and take the kind of a module from its name.
  fse.writeFileSync(join(folder, `${name}.d.ts`), text.replaceAll(imported, ` from '$1.js'`))
  fse.writeFileSync(join(folder, `${name}.d.cts`), text.replaceAll(imported, ` from '$1.cjs'`))
  const written = new Set(fse.readdirSync(folder))
  for (const [, path = ''] of text.matchAll(imported))
    if (!written.has(`${basename(path)}.d.ts`)) writeDeclarations(compiled, folder, basename(path))
}

const CLIENT: BuildOptions = {
  entryPoints: [join(project, 'src/client/client.ts')],
  platform: 'neutral',
  target: 'es2022',
  plugins: [withRoutes],
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
    fse.copySync(join(project, 'src/client/README.md'), join(folder, 'README.md'))
    return z.looseObject({}).parse(fse.readJsonSync(join(project, 'src/client/package.json')))
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
