import { fileURLToPath } from 'node:url'
import { type Metafile, type Plugin, build } from 'esbuild'
import { pageFiles, workerProgram } from './bundled.ts'

/** Replaces the module that bundles programs by one that has them. */
const readyMade: Plugin = {
  name: 'ready-made',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]scripts[\\/]bundled\.ts$/ }, async () => {
      const contents = `const pages = ${JSON.stringify(await pageFiles())}
const worker = ${JSON.stringify(await workerProgram())}
export const pageFiles = async () => pages
export const workerProgram = async () => worker`
      return { contents, loader: 'js' }
    })
  },
}

/**
 * Compiles the program into a folder, with the programs of pages and hosts in it. Its packages stay outside. Returns what the
 * compiler says of its output.
 *
 * @param plugins beside the one that puts these programs into it
 */
export async function compileProgram(folder: string, plugins: readonly Plugin[] = []): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('quotetree.ts', import.meta.url))],
    outdir: folder,
    bundle: true,
    splitting: true,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    banner: { js: '#!/usr/bin/env node' },
    charset: 'utf8',
    plugins: [readyMade, ...plugins],
  })
  return metafile
}
