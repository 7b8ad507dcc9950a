import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { ECOSYSTEM, PRODUCT } from '../../src/contract/product.ts'
import type { Publisher } from '../../src/endpoints/publisher.ts'

/**
 * Bundles a host's program into one file for its runtime.
 *
 * @param name name of the file beside this one
 * @param platform web-standard runtime, or Node
 * @param publisher whose API the program answers
 */
export async function bundle(
  name: string,
  platform: 'neutral' | 'node',
  publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM },
): Promise<string> {
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
    define: { PUBLISHER: JSON.stringify(publisher) },
    minify: true,
    legalComments: 'inline',
  })
  return outputFiles.map(({ text }) => text).join('')
}
