import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { compileFunction } from 'node:vm'
import { type Plugin, build } from 'esbuild'
import * as z from 'zod'
import { ConfigError } from '../src/config/config-error.ts'
import { excerpt } from '../src/core/contract/visible.ts'
import { PrefixFolder } from '../src/core/contract/words.ts'
import { textAt } from '../src/core/tree/reader.ts'

/** Name of the file with a publisher's settings, in the folder that a command runs in. */
export const CONFIG_FILE = 'quotetree.config.ts'

/** What a file imports from this package, which need not be installed beside it. */
const ownPackage: Plugin = {
  name: 'own-package',
  setup(builder) {
    builder.onResolve({ filter: /^quotetree$/ }, ({ path }) => ({ path, namespace: 'own-package' }))
    const contents = 'export const defineConfig = (config) => config'
    builder.onLoad({ filter: /^/, namespace: 'own-package' }, () => ({ contents }))
  },
}

const Exported = z.object({ default: z.unknown() })

/** Returns what a configuration file exports. It is compiled first, because Node 20 runs no TypeScript. */
export async function valuesIn(file: string): Promise<unknown> {
  const name = relative('.', file)
  const text = textAt(file)
  if (text === null) throw new ConfigError(`${name} cannot be read: it is not a file of ordinary size.`)
  const built = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: [ownPackage],
  }).catch((cause: unknown) => {
    throw new ConfigError(`${name} cannot be read: ${excerpt(firstFault(cause))}`, { cause })
  })
  const [output] = built.outputFiles
  const exported = Exported.safeParse(exportsOf(file, output?.text ?? ''))
  if (exported.success && exported.data.default !== undefined) return exported.data.default
  throw new ConfigError(`${name} exports nothing by default. Begin it with: export default defineConfig({ … })`)
}

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

/** Returns the first fault that the compiler names: `quotetree.config.ts:3:5: ERROR: Expected "}"`. */
function firstFault(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const [, line, fault] = /:(\d+):\d+: ERROR: (.*)/.exec(message) ?? []
  return fault === undefined ? message : `line ${line}: ${fault}`
}

const Prefixed = z.object({ prefix: PrefixFolder })

/** Returns the prefix that the configuration of a folder states; null if it states none, or is at fault in any way. */
export async function prefixIn(folder: string): Promise<string | null> {
  const file = join(folder, CONFIG_FILE)
  const values = existsSync(file) ? await valuesIn(file).catch(() => null) : null
  const read = Prefixed.safeParse(values)
  return read.success ? `/${read.data.prefix}` : null
}
