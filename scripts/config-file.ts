import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'
import * as z from 'zod'
import { ConfigError } from '../src/config/config-error.ts'
import { excerpt } from '../src/core/contract/visible.ts'
import { PrefixFolder } from '../src/core/contract/words.ts'
import { textAt } from '../src/core/tree/reader.ts'
import { messageIn } from './command.ts'

export const CONFIG_FILE = 'quotetree.config.ts'

const TIMEOUT_MS = 3000

/** Returns what a configuration file exports. It is compiled first, because Node 20 runs no TypeScript. @throws ConfigError */
export async function valuesIn(file: string): Promise<unknown> {
  const name = relative('.', file)
  if (textAt(file) === null) throw new ConfigError(`${name} cannot be read: it is not a file of ordinary size.`)
  const built = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  }).catch((cause: unknown) => {
    const [, line, fault] = /:(\d+):\d+: ERROR: (.*)/.exec(messageIn(cause)) ?? []
    const why = fault === undefined ? messageIn(cause) : `line ${line}: ${fault}`
    throw new ConfigError(`${name} cannot be read: ${excerpt(why)}`, { cause })
  })
  const exported = exportsOf(file, built.outputFiles[0]?.text ?? '')
  if (exported instanceof Promise)
    throw new ConfigError(`${name} exports a promise by default. Export the settings themselves.`)
  if (exported !== undefined) return exported
  throw new ConfigError(`${name} exports nothing by default. Begin it with: export default defineConfig({ … })`)
}

function exportsOf(file: string, text: string): unknown {
  const own = createRequire(file)
  const module: { exports: unknown } = { exports: {} }
  // This package need not be installed beside the file.
  const require = (id: string): unknown =>
    id === 'quotetree' ? { defineConfig: (config: unknown) => config } : own(id)
  Object.assign(globalThis, { quotetreeConfig: { module, require } })
  const called = `(({ module, require }) => { const { exports } = module; ${text}\n})(quotetreeConfig)`
  try {
    // Called by the script, so that the time limit holds for what it does.
    runInThisContext(called, { filename: file, timeout: TIMEOUT_MS })
  } catch (cause) {
    const [why = ''] = messageIn(cause).split('\n')
    throw new ConfigError(`${relative('.', file)} cannot be run: ${excerpt(why)}`, { cause })
  }
  return z.object({ default: z.unknown() }).safeParse(module.exports).data?.default
}

/** Returns the prefix that the configuration of a folder states; null if it states none, or is at fault in any way. */
export async function prefixIn(folder: string): Promise<string | null> {
  const file = join(folder, CONFIG_FILE)
  const values = existsSync(file) ? await valuesIn(file).catch(() => null) : null
  const { data } = z.object({ prefix: PrefixFolder }).safeParse(values)
  return data ? `/${data.prefix}` : null
}
