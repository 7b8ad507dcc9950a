import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type OutputFile, build } from 'esbuild'
import { NOT_FOUND, PAGES } from '../src/pages/pages.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const bundled = async (options: BuildOptions): Promise<readonly OutputFile[]> => {
  // Names of chunks follow from the paths of modules, which lie below the project wherever its packages are linked to.
  const shared = {
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    absWorkingDir: at('..'),
    preserveSymlinks: true,
  } as const
  const { outputFiles } = await build({ ...shared, legalComments: 'inline', ...options })
  return outputFiles ?? []
}

/** Bundles the scripts and the styles of the pages. The package has them ready-made. */
export async function pageFiles() {
  const filesOf = (names: readonly string[], options: BuildOptions = {}) =>
    bundled({
      entryPoints: names.map((name) => at(`../src/pages/${name}`)),
      outdir: 'ui',
      // The names of chunks depend on the paths below it.
      absWorkingDir: at('../src/pages'),
      platform: 'browser',
      charset: 'utf8',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      ...options,
    })
  const programs = [...new Set([...PAGES, NOT_FOUND].map(({ program }) => program))]
  const files = await Promise.all([
    // The pages share chunks, and load a chart when one is shown.
    filesOf(programs, { splitting: true, chunkNames: 'chunk-[hash]' }),
    filesOf(['embed.ts', 'theme.ts', 'style.css']),
  ])
  return files.flat().map(({ path, text }) => ({ name: basename(path), text }))
}

/** Bundles the Worker into one file. The package has it ready-made. */
export async function workerProgram(): Promise<string> {
  const [file] = await bundled({
    entryPoints: [at('hosts/cloudflare.ts')],
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd'],
    // Only programs for a runtime with Node's modules import them.
    external: ['node:*'],
  })
  return file?.text ?? ''
}
