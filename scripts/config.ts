import { valueAt } from '../src/config/check.ts'
import { linesOf, configText } from '../src/config/check.ts'
import { suggestion } from '../src/config/nearest.ts'
import type { Config } from '../src/config/settings.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { type Output, declare } from './command.ts'
import { HOST_OPTIONS, writeHostFiles } from './host-files.ts'
import { CONFIG_FILE } from './config-file.ts'
import { brandOf, settingsWith } from './settings.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    get: {
      type: 'string',
      multiple: true,
      about:
        'print the value of this setting alone, nothing if it is not set; of several, each as name=value; repeatable',
    },
    ...HOST_OPTIONS,
  },
  notes: `The file is ${CONFIG_FILE} in the current folder. Options of commands override the environment, and that overrides the file.`,
  async run(given, _, output) {
    if (given.host !== undefined) return writeHostFiles(given.host, given, output)
    const settings = await settingsWith()
    // A logo that cannot be used is a fault of the configuration.
    brandOf(settings)
    if (given.get !== undefined) return some(given.get, settings.config, output)
    const lines = linesOf(settings).map(({ path, value, from }) => ({ setting: path, value, from }))
    output.result(lines, () => configText(settings, settings.file && CONFIG_FILE))
    return EXIT.done
  },
})

/** Prints values as a shell takes them: texts bare, everything else as JSON, and nothing for what is not set. */
function some(paths: readonly string[], config: Config, output: Output): number {
  const known = SETTINGS.map((setting) => setting.path)
  const values = paths.map((path) => {
    const value = valueAt(config, path)
    if (value === undefined) throw new UsageError(`There is no setting ${path}. ${suggestion(path, known)}`)
    return [path, value] as const
  })
  const textOf = (value: unknown) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value))
  output.result(Object.fromEntries(values), () =>
    values.map(([path, value]) => (values.length > 1 ? `${path}=${textOf(value)}` : textOf(value))).join('\n'),
  )
  return EXIT.done
}
