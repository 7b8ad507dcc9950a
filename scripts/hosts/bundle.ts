import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * The program of a host in one file, as its runtime takes it.
 *
 * @param name of the file beside this one
 * @param platform what the runtime is like: one of the web alone, or Node
 */
export async function bundle(name: string, platform: 'neutral' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform,
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'inline',
  })
  return outputFiles.map(({ text }) => text).join('')
}
