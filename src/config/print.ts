import { type InForce, type Origin, valueAt } from './check.ts'
import { SETTINGS, type Setting } from './settings.ts'

/** A setting in force, as a line of `npm run config`. */
interface Line {
  readonly path: string
  readonly value: unknown
  readonly from: Origin
  readonly setting: Setting
}

/** Returns every setting with its value and where it comes from. */
export const linesOf = ({ config, origins }: InForce): readonly Line[] =>
  SETTINGS.map((setting) => ({
    path: setting.path,
    value: valueAt(config, setting.path),
    from: origins.get(setting.path) ?? 'default',
    setting,
  }))

/** Returns the settings in force as text: one a line, with what overrides it. */
export function configText(inForce: InForce, file: string | null): string {
  const lines = linesOf(inForce)
  const width = Math.max(...lines.map(({ path }) => path.length))
  return [
    file === null ? 'There is no quotetree.config.ts here, so every setting has its default.' : `Settings of ${file}`,
    '',
    ...lines.map(
      ({ path, value, from, setting }) =>
        `  ${path.padEnd(width)}  ${shown(value, setting)}  (${originOf(from, setting)})`,
    ),
  ].join('\n')
}

const shown = (value: unknown, { absent }: Setting): string =>
  value === null ? `none: ${absent ?? 'not set'}` : JSON.stringify(value)

function originOf(from: Origin, { option, variable }: Setting): string {
  if (from === 'option' && option !== undefined) return `option --${option}`
  if (from === 'environment' && variable !== undefined) return `environment ${variable}`
  return from
}
