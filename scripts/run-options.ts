import { SETTINGS } from '../src/config/settings.ts'
import type { SourcesKind } from '../src/contract/product.ts'
import { type Budget, HOST_BUDGETS } from '../src/service/budgets.ts'
import type { Overrides } from './settings.ts'
import { UsageError } from './usage.ts'

type Given = string | boolean | undefined

/** Returns the kind of sources that `--sources` names, live by default. */
export function kindIn(given: Given): SourcesKind {
  const kind = given ?? 'live'
  if (kind === 'live' || kind === 'sample') return kind
  throw new UsageError(`--sources takes live or sample, not "${String(kind)}".`)
}

/** Returns the limits of the host that `--budget` names. */
export function budgetIn(given: Given): Budget | undefined {
  if (given === undefined) return undefined
  const budget = Object.entries(HOST_BUDGETS).find(([name]) => name === given)?.[1]
  if (budget) return budget
  throw new UsageError(`--budget takes ${Object.keys(HOST_BUDGETS).join(', ')}, not "${String(given)}".`)
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
