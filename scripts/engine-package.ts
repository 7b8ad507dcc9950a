import { copyFileSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'
import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { Config, SETTINGS } from '../src/config/settings.ts'
import { ASSETS } from '../src/core/registry/asset-files.ts'
import { typesSource } from './client-types.ts'
import { compileProgram } from './compiled-program.ts'
import { TEMPLATE, workflowFiles } from './new.ts'
import { type Packed, npmPack } from './npm-pack.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Files of the package: the program in parts, what publishers import, and what the program reads beside itself. */
const FILES = ['*.js', 'config.d.ts', 'assets', 'hosts', 'template']

const Schemas = z.record(z.string(), z.record(z.string(), z.json()))

/** Returns the packages of the project that a program loads, with their versions. */
function loaded({ outputs }: Metafile): Readonly<Record<string, string>> {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  return Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) =>
      imported.some((path) => path === name || path.startsWith(`${name}/`)),
    ),
  )
}

/** Returns the types of a configuration file, with what each setting is about. */
async function configTypes(): Promise<string> {
  const { $defs = {}, properties = {}, ...config } = z.toJSONSchema(Config, { io: 'input' })
  const described = Object.entries(properties).map(([name, property]) => {
    const description = SETTINGS.find(({ path }) => path === name)?.about
    return [name, description === undefined ? property : Object.assign({}, property, { description })] as const
  })
  const schemas = { ...$defs, Config: { ...config, properties: Object.fromEntries(described) } }
  return `${await typesSource(Schemas.parse(schemas))}
/** Returns the settings unchanged. It is there so that an editor knows their names and types. */
export declare function defineConfig(config: Config): Config
`
}

/** Writes the package of the program into a folder: compiled JavaScript that needs neither the project nor its tools. */
async function writeEnginePackage(folder: string): Promise<void> {
  const metafile = await compileProgram(folder)
  writeFileSync(join(folder, 'config.js'), 'export const defineConfig = (config) => config\n')
  writeFileSync(join(folder, 'config.d.ts'), await configTypes())
  cpSync(ASSETS, join(folder, 'assets'), { recursive: true })
  cpSync(TEMPLATE, join(folder, 'template'), { recursive: true })
  cpSync(at('hosts/files'), join(folder, 'hosts/files'), { recursive: true })
  for (const [file, path] of workflowFiles()) cpSync(path, join(folder, 'template', file))
  for (const file of ['LICENSE', 'README.md']) copyFileSync(at(`../${file}`), join(folder, file))
  const { name, version, description, license, type, engines } = manifest
  const own = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { quotetree: 'quotetree.js' },
    exports: { '.': { types: './config.d.ts', default: './config.js' } },
    files: FILES,
    dependencies: loaded(metafile),
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

/** Packs the program into an archive in a folder. Returns npm's description of it. */
export const packEngine = (destination: string): Promise<Packed> => npmPack(writeEnginePackage, destination)
