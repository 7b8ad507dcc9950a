import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { packEngine } from '../../scripts/packages.ts'
import { once } from '../once.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const Manifest = z.looseObject({ version: z.string(), dependencies: z.record(z.string(), z.string()) })

/** Returns the archive of the program's package, packed once for all test files of a run. */
export const engineArchive = async (): Promise<string> => {
  const folder = await once('engine-package', packEngine)
  return join(folder, `quotetree-${manifestOf(fileURLToPath(new URL('../..', import.meta.url))).version}.tgz`)
}

export const manifestOf = (folder: string): z.infer<typeof Manifest> =>
  Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))

/** Installs the package into a folder with nothing but the packages that it declares, as npm would. Returns its path. */
export async function installEngine(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  execFileSync('tar', ['-xzf', await engineArchive(), '-C', modules])
  renameSync(join(modules, 'package'), join(modules, 'quotetree'))
  const engine = join(modules, 'quotetree')
  for (const name of Object.keys(manifestOf(engine).dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(packages, name), join(modules, name))
  }
  return engine
}
