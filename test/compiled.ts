import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, build } from 'esbuild'
import { once } from './once.ts'

const project = fileURLToPath(new URL('..', import.meta.url))

/** Packages that find files of their own beside them, or that are too large to compile for the few commands that load them. */
const LOADED_LATER = ['@aws-sdk/client-s3', 'esbuild', 'json-schema-to-typescript', 'playwright-core', 'prettier']

/** Packages of the older module format ask for `require`, which a module does not have. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(${JSON.stringify(import.meta.url)});`

/** Modules find files beside them, so each keeps its own address when many become one. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(builder) {
    builder.onLoad({ filter: /[\\/](src|scripts|test)[\\/].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }))
  },
}

/**
 * Programs in TypeScript as JavaScript, compiled once for all test files of a run: the compiler takes longer to start than
 * most commands take. Packages are compiled in, because finding and loading their many files takes as long as a command.
 * The programs keep their names, with the ending `.mjs`.
 */
export const compiled = (name: string, entryPoints: readonly string[]): Promise<string> =>
  once(name, async (folder) => {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    await build({
      entryPoints: [...entryPoints],
      outdir: folder,
      bundle: true,
      splitting: true,
      external: LOADED_LATER,
      banner: { js: REQUIRE },
      format: 'esm',
      platform: 'node',
      target: 'node20.18',
      outExtension: { '.js': '.mjs' },
      plugins: [ownAddress],
    })
  })
