import type * as z from 'zod'
import { ECOSYSTEM } from '../core/contract/product.ts'
import { isRecord } from '../core/contract/read-json.ts'
import { LOGO_FOLDER } from '../core/contract/site-files.ts'
import { specs } from '../core/endpoints/table.ts'
import { PAGES } from '../pages/pages.ts'
import { liveSources } from '../core/sources/table.ts'
import { STATE } from '../core/tree/tables.ts'
import { excerpt } from '../core/contract/visible.ts'
import { ConfigError } from './config-error.ts'
import { suggestion } from './nearest.ts'
import { Config, SETTINGS, type SettingSpec } from './settings.ts'

type SettingOrigin = 'default' | 'file' | 'environment' | 'option'

export interface Layer {
  readonly origin: Exclude<SettingOrigin, 'default'>
  readonly name: string
  readonly values: unknown
}

type InForce = ReturnType<typeof configOf>

export function configOf(layers: readonly Layer[]) {
  let merged: Readonly<Record<string, unknown>> = {}
  for (const { name, values, origin } of layers) {
    if (!isRecord(values)) throw new ConfigError(`${name}: the configuration is an object: defineConfig({ … }).`)
    const checked = Config.safeParse(values)
    // Commands check the names in their options themselves.
    const faults = checked.success
      ? origin === 'option'
        ? []
        : faultsOf(checked.data)
      : checked.error.issues.flatMap((issue) => sentencesOf(issue, origin))
    const place = origin === 'option' ? '' : `${name}: `
    if (faults.length > 0) throw new ConfigError(faults.map((fault) => place + fault).join('\n'))
    // The file alone has parts of a group of settings: what overrides one replaces it whole.
    merged = { ...merged, ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) }
  }
  const originOf = (path: string): SettingOrigin =>
    layers.findLast(({ values }) => valueAt(values, path) !== undefined)?.origin ?? 'default'
  return { config: Config.parse(merged), originOf }
}

export const valueAt = (values: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), values)

/** What the schema alone cannot know: names that other tables define. */
function faultsOf({ prefix, sources, ecosystem }: Config): string[] {
  const ids = liveSources({}).map(({ id }) => id)
  const unknown = Object.entries(sources).flatMap(([name, named]) =>
    (named ?? []).flatMap((id) => (ids.includes(id) ? [] : [[`sources.${name}`, id] as const])),
  )
  const [folder = ''] = prefix.split('/')
  const taken = new Set(specs.map(({ path }) => path.split('/')[1]))
  return [
    ...unknown.map(([path, id]) => `${path}: there is no source "${excerpt(id)}". ${suggestion(id, ids)}`),
    ...(SITE_FOLDERS.has(folder) ? [`prefix: the folder "${folder}" has other files. Choose another name.`] : []),
    ...(sources.off.length >= ids.length ? ['sources.off: no source is left.'] : []),
    ...(ecosystem.name !== ECOSYSTEM.name && taken.has(ecosystem.name)
      ? [`ecosystem.name: /${ecosystem.name} is another endpoint. Choose another name.`]
      : []),
  ]
}

/** First folders of other files of a tree. */
const SITE_FOLDERS: ReadonlySet<string> = new Set([
  ...PAGES.map(({ path }) => path.split('/')[0] ?? ''),
  LOGO_FOLDER,
  STATE.folder,
  'tables',
  'renamed',
  'ui',
  'healthz',
  'metrics',
])

function sentencesOf(issue: z.core.$ZodIssue, origin: SettingOrigin): string[] {
  const place = issue.path.join('.')
  const setting = SETTINGS.findLast(({ path }) => place.startsWith(path))
  const below = place === '' ? '' : `${place}.`
  if (issue.code === 'unrecognized_keys' && !setting)
    return issue.keys.map((key) => {
      const path = excerpt(below + key)
      return `there is no setting ${path}. ${suggestion(path, PATHS)}`
    })
  if (setting) return [`${nameAt(origin, setting) ?? place} takes ${setting.takes}.`]
  const inner = PATHS.filter((path) => path.startsWith(below)).map((path) => path.slice(below.length).split('.')[0])
  return [`${place || 'the configuration'} takes settings: ${[...new Set(inner)].join(', ')}.`]
}

const PATHS = SETTINGS.map(({ path }) => path)

export const linesOf = ({ config, originOf }: InForce) =>
  SETTINGS.map((setting) => ({
    path: setting.path,
    value: valueAt(config, setting.path),
    from: originOf(setting.path),
    setting,
  }))

export function configText(inForce: InForce, file: string | null): string {
  const lines = linesOf(inForce)
  const width = Math.max(...lines.map(({ path }) => path.length))
  return [
    file === null ? 'There is no quotetree.config.ts here, so every setting has its default.' : `Settings of ${file}`,
    '',
    ...lines.map(({ path, value, from, setting }) => {
      const origin = [from, nameAt(from, setting) ?? []].flat().join(' ')
      return `  ${path.padEnd(width)}  ${shown(value, setting)}  (${origin})`
    }),
  ].join('\n')
}

const shown = (value: unknown, { absent }: SettingSpec): string =>
  value === null ? `none: ${absent ?? 'not set'}` : JSON.stringify(value)

/** What a setting is called where it comes from; undefined: as in the file. */
function nameAt(origin: SettingOrigin, { option, variable }: SettingSpec): string | undefined {
  if (origin === 'option') return `--${option}`
  return origin === 'environment' ? variable : undefined
}
