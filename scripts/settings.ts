import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type InForce, type Layer, configOf } from '../src/config/check.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { type Config, SETTINGS } from '../src/config/settings.ts'
import { BRAND, type Brand } from '../src/pages/brand.ts'
import { SAFE_SVG, safeSvg } from '../src/core/registry/safe-svg.ts'
import { CONFIG_FILE, valuesIn } from './config-file.ts'
import { ENGINE_VERSION, environment } from './environment.ts'
import type { SourcesKind } from '../src/core/contract/product.ts'
import { HOST_BUDGETS } from '../src/delivery/budgets.ts'
import type { Budget } from '../src/core/tree/budget.ts'
import { oneOf } from './usage.ts'

export interface Settings extends InForce {
  /** Absolute; null: there is none. */
  readonly file: string | null
}

const FILE_NAME = `${CONFIG_FILE}, read by version ${ENGINE_VERSION}`

/** Settings that the options of a command override, as the file would say them. */
export type Overrides = Readonly<Record<string, unknown>>

/**
 * Returns the settings in force: the file's, over them those of the environment, and over them those of the options.
 *
 * @throws ConfigError with a sentence per fault
 */
export async function settingsWith(overrides: Overrides = {}, folder = process.cwd()): Promise<Settings> {
  const file = resolve(folder, CONFIG_FILE)
  const isThere = existsSync(file)
  const layers: Layer[] = [
    // A file may be of another version: one sentence says what it has, and which version does not know it.
    ...(isThere ? [{ origin: 'file', name: FILE_NAME, values: await valuesIn(file) } as const] : []),
    { origin: 'environment', name: 'the environment', values: inEnvironment() },
    { origin: 'option', name: 'the options', values: overrides },
  ]
  return { ...configOf(layers), file: isThere ? file : null }
}

function inEnvironment(): Overrides {
  const { SITE_URL } = environment()
  return SITE_URL === undefined ? {} : { site: SITE_URL }
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

type OptionValue = string | boolean | undefined

/** Returns the kind of sources that `--sources` names, live by default. */
export function kindIn(given: OptionValue): SourcesKind {
  return oneOf('sources', ['live', 'sample'], String(given ?? 'live'))
}

/** Returns the limits of the host that `--budget` names. */
export function budgetIn(given: OptionValue): Budget | undefined {
  if (given === undefined) return undefined
  return new Map(Object.entries(HOST_BUDGETS)).get(oneOf('budget', Object.keys(HOST_BUDGETS), String(given)))
}

/** Returns the option that overrides a setting. */
export function overriding(option: string): { readonly type: 'string'; readonly about: string } {
  const setting = SETTINGS.find((one) => one.option === option)
  if (!setting) throw new Error(`No setting has the option --${option}.`)
  return { type: 'string', about: `overrides ${setting.path}: ${setting.about}` }
}

/** Returns the settings that the options of a command override, as the file would have them. */
export function overridesIn(given: Readonly<Record<string, unknown>>): Overrides {
  const found: Record<string, unknown> = {}
  for (const { path, option, isList } of SETTINGS) {
    const text = option === undefined ? undefined : given[option]
    if (text === undefined) continue
    const value = typeof text !== 'string' ? text : isList ? text.split(',') : /^\d+$/.test(text) ? Number(text) : text
    const [name = '', member] = path.split('.')
    found[name] = member === undefined ? value : { ...Object(found[name]), [member]: value }
  }
  // Sources that are named are asked, also where the file leaves them out.
  return given['only'] === undefined ? found : { ...found, sources: { ...Object(found['sources']), off: [] } }
}
