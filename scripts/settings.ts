import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import * as z from 'zod'
import { type InForce, type Layer, configOf } from '../src/config/check.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { prefixFault } from '../src/config/repeated.ts'
import type { Config } from '../src/config/settings.ts'
import { parseJson } from '../src/contract/read-json.ts'
import { excerpt } from '../src/contract/visible.ts'
import { BRAND, type Brand } from '../src/pages/brand.ts'
import { SAFE_SVG, safeSvg } from '../src/registry/safe-svg.ts'
import { textAt } from '../src/tree/reader.ts'
import { environment } from './environment.ts'

/** Name of the file with a publisher's settings, in the folder that a command runs in. */
export const CONFIG_FILE = 'quotetree.config.ts'

/** The settings in force, and the file that has the publisher's own. */
export interface Settings extends InForce {
  /** Absolute; null: there is none. */
  readonly file: string | null
}

/** Settings that the options of a command override, as the file would say them. */
export type Overrides = Readonly<Record<string, unknown>>

/**
 * Returns the settings in force: the file's, over them those of the environment, and over them those of the options.
 *
 * @throws ConfigError with a sentence per fault, or if the program was not built with the prefix of the file
 */
export async function settingsWith(overrides: Overrides = {}, folder = process.cwd()): Promise<Settings> {
  const settings = await readSettings(overrides, folder)
  const fault = prefixFault(settings.config)
  if (fault !== null) throw new ConfigError(fault)
  return settings
}

/**
 * Returns the settings in force, whatever prefix the program was built with.
 *
 * @throws ConfigError with a sentence per fault
 */
export async function readSettings(overrides: Overrides = {}, folder = process.cwd()): Promise<Settings> {
  const file = resolve(folder, CONFIG_FILE)
  const isThere = existsSync(file)
  const layers: Layer[] = [
    ...(isThere ? [{ origin: 'file', name: CONFIG_FILE, values: await valuesIn(file) } as const] : []),
    { origin: 'environment', name: 'the environment', values: inEnvironment() },
    { origin: 'option', name: 'the options', values: overrides },
  ]
  return { ...configOf(layers), file: isThere ? file : null }
}

/** Characters of a settings file, at most: the compiler takes half a minute for 55,000 minus signs. Long lists are in modules that it imports. */
const MOST_CHARACTERS = 2 ** 14
/** Levels of brackets in a settings file, at most. The compiler is a process of its own, which ends at some 100,000. */
const MOST_LEVELS = 1000

/** Whether the brackets of a text are within each other in more levels than {@link MOST_LEVELS}. */
function isTooDeep(text: string): boolean {
  let level = 0
  for (const [bracket] of text.matchAll(/[([{}\])]/g)) {
    level += '([{'.includes(bracket) ? 1 : -1
    if (level > MOST_LEVELS) return true
  }
  return false
}

const Exported = z.object({ default: z.unknown() })

/** Returns what a configuration file exports. It is compiled first, because Node 20 runs no TypeScript. */
async function valuesIn(file: string): Promise<unknown> {
  const name = relative('.', file)
  const text = textAt(file)
  if (text === null) throw new ConfigError(`${name} cannot be read: it is not a file of ordinary size.`)
  if (text.length > MOST_CHARACTERS)
    throw new ConfigError(`${name} cannot be read: it has more than ${MOST_CHARACTERS} characters. Import long lists.`)
  if (isTooDeep(text))
    throw new ConfigError(`${name} cannot be read: its brackets are more than ${MOST_LEVELS} levels deep.`)
  const built = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  }).catch((cause: unknown) => {
    throw new ConfigError(`${name} cannot be read: ${excerpt(firstFault(cause))}`, { cause })
  })
  const [output] = built.outputFiles
  const exported = Exported.safeParse(exportsOf(file, output?.text ?? ''))
  if (exported.success && exported.data.default !== undefined) return exported.data.default
  throw new ConfigError(`${name} exports nothing by default. Begin it with: export default defineConfig({ … })`)
}

/** Runs a compiled module, and returns what it exports. */
function exportsOf(file: string, text: string): unknown {
  const module: { exports: unknown } = { exports: {} }
  try {
    compileFunction(text, ['module', 'exports', 'require'], { filename: file })(
      module,
      module.exports,
      createRequire(file),
    )
    return module.exports
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${relative('.', file)} cannot be run: ${excerpt(why)}`, { cause })
  }
}

const BuildFailure = z.object({
  errors: z.array(z.object({ text: z.string(), location: z.object({ line: z.number() }).nullable() })).min(1),
})

function firstFault(cause: unknown): string {
  const failure = BuildFailure.safeParse(cause)
  const [first] = failure.success ? failure.data.errors : []
  if (first) return `line ${first.location?.line ?? '?'}: ${first.text}`
  return cause instanceof Error ? cause.message : String(cause)
}

/** Returns the settings that the environment overrides. */
function inEnvironment(): Overrides {
  const { SITE_URL, COINGECKO_PLAN, COLLECTORS } = environment()
  return {
    ...(SITE_URL === undefined ? {} : { site: SITE_URL }),
    ...(COLLECTORS === undefined ? {} : { collectors: parseJson(COLLECTORS) ?? COLLECTORS }),
    ...(COINGECKO_PLAN === undefined ? {} : { keys: { coingecko: { plan: COINGECKO_PLAN } } }),
  }
}

/** Returns the looks of the pages, with the logo read. @throws ConfigError if it is no harmless SVG */
export function brandOf({ config, file }: Settings): Brand {
  const { logo, colours, currencies } = config.pages
  if (logo === null) return { ...BRAND, colours, currencies }
  const path = resolve(file === null ? '.' : dirname(file), logo)
  if (!existsSync(path)) throw new ConfigError(`pages.logo: there is no file ${logo}.`)
  const text = safeSvg(readFileSync(path, 'utf8'))
  if (text === null) throw new ConfigError(`pages.logo: ${logo} is not ${SAFE_SVG}.`)
  return { logo: { path: 'ui/logo.svg', text }, colours, currencies }
}

/** Returns the address of the site with a slash at its end; null if it is not known. */
export const siteOf = ({ site }: Config): string | null => (site === null ? null : site.replace(/\/?$/, '/'))
