import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { type Layer, configOf } from '../src/config/check.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { type Config, SETTINGS } from '../src/config/settings.ts'
import { ASSETS, entriesOf, entriesOfFolder } from '../src/core/registry/asset-files.ts'
import { SAFE_SVG, safeSvg } from '../src/core/registry/safe-svg.ts'
import type { Budget } from '../src/core/tree/budget.ts'
import { HOST_BUDGETS } from '../src/delivery/budgets.ts'
import type { SiteRow } from '../src/core/history/rows.ts'
import { oneOf, text } from './command.ts'
import { CONFIG_FILE, valuesIn } from './config-file.ts'
import { ENGINE_VERSION, environment } from './environment.ts'

export type Settings = Awaited<ReturnType<typeof settingsWith>>

/** Returns the settings in force: those of the file, over them the environment's, and over them the options'. */
export async function settingsWith(overrides: object = {}, folder = process.cwd()) {
  const path = resolve(folder, CONFIG_FILE)
  const file = existsSync(path) ? path : null
  // A file may be of another version: one sentence says what it has, and which version does not know it.
  const name = `${CONFIG_FILE}, read by version ${ENGINE_VERSION}`
  const layers: Layer[] = [
    ...(file === null ? [] : [{ origin: 'file', name, values: await valuesIn(file) } as const]),
    { origin: 'environment', name: 'the environment', values: { site: environment().SITE_URL } },
    { origin: 'option', name: 'the options', values: overrides },
  ]
  return { ...configOf(layers), file }
}

export function brandOf({ config, file }: Settings): SiteRow['brand'] {
  const { logo, ...looks } = config.pages
  if (logo === null) return { logo, ...looks }
  const path = resolve(file === null ? '.' : dirname(file), logo)
  if (!existsSync(path)) throw new ConfigError(`pages.logo: there is no file ${logo}.`)
  const text = safeSvg(readFileSync(path, 'utf8'))
  if (text === null) throw new ConfigError(`pages.logo: ${logo} is not ${SAFE_SVG}.`)
  return { logo: { path: 'ui/logo.svg', text }, ...looks }
}

/** Returns the reviewed assets, those of the publisher over the built-in ones, and the place of their faults. */
export function registryOf(settings: Settings) {
  const { registry, ecosystem } = settings.config
  const own = typeof registry === 'string' ? entriesOfFolder(reviewedFolder(settings)) : (registry ?? [])
  const file = own.length === 0 ? relative('.', ASSETS) : typeof registry === 'string' ? registry : CONFIG_FILE
  return { assets: entriesOf(own, ecosystem), file }
}

/** Returns the folder of reviewed assets: the publisher's own, else that of the project. */
export function reviewedFolder({ config: { registry }, file }: Settings): string {
  if (typeof registry !== 'string') return resolve(ASSETS)
  const folder = resolve(file === null ? '.' : dirname(file), registry)
  if (existsSync(folder)) return folder
  throw new ConfigError(`registry: there is no folder ${relative('.', folder)}.`)
}

export const siteOf = ({ site }: Config): string | null => (site === null ? null : site.replace(/\/?$/, '/'))

export const budgetIn = (given: string | undefined): Budget | undefined =>
  given === undefined
    ? undefined
    : new Map<string, Budget>(Object.entries(HOST_BUDGETS)).get(oneOf('budget', Object.keys(HOST_BUDGETS), given))

export function overriding(option: string) {
  const setting = SETTINGS.find((one) => one.option === option)
  return text(`overrides ${setting?.path}: ${setting?.about}`)
}

export function overridesIn(given: Readonly<Record<string, unknown>>): object {
  const found: Record<string, unknown> = {}
  for (const { path, option = '', isList } of SETTINGS) {
    const text = given[option]
    if (text === undefined) continue
    const value = typeof text !== 'string' ? text : isList ? text.split(',') : /^\d+$/.test(text) ? Number(text) : text
    const [name = '', member] = path.split('.')
    // Sources that are named are asked, also where the file leaves them out.
    found[name] = member === undefined ? value : { off: [], [member]: value }
  }
  return found
}
