import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Bundles a host's program into one file for its runtime.
 *
 * @param name name of the file beside this one
 * @param platform web-standard runtime, or Node
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
    // Only programs for a runtime with Node's modules import them.
    external: ['node:*'],
    minify: true,
    legalComments: 'inline',
  })
  return outputFiles.map(({ text }) => text).join('')
}
