import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, build } from 'esbuild'
import { once } from './once.ts'

const project = fileURLToPath(new URL('..', import.meta.url))

/** Packages that find files of their own beside them, or that are too large to compile for the few commands that load them. */
const LOADED_LATER = ['esbuild', 'playwright-core', 'prettier']

/** Modules find files beside them, so each keeps its own address when many become one. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(builder) {
    builder.onLoad({ filter: /[\\/](src|scripts|test)[\\/].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      // Nothing comes after what a program waits for at its end, and the module format of `require` cannot wait.
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/^await /gm, 'void '),
    }))
  },
}

/**
 * Programs in TypeScript as JavaScript, compiled once for all test files of a run: the compiler takes longer to start than
 * most commands take. Packages are compiled in, because finding and loading their many files takes as long as a command.
 * The programs keep their names, with the ending `.cjs`.
 */
export const compiled = (name: string, entryPoints: readonly string[]): Promise<string> =>
  once(name, async (folder) => {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    await build({
      entryPoints: [...entryPoints, join(project, 'test/code-cache.ts')].map((file) => ({
        in: file,
        out: basename(file, '.ts'),
      })),
      outdir: folder,
      bundle: true,
      // Every command reads the whole program, which is a quarter shorter so.
      minifyWhitespace: true,
      external: LOADED_LATER,
      format: 'cjs',
      platform: 'node',
      target: 'node20.18',
      supported: { 'dynamic-import': false },
      plugins: [ownAddress],
    })
    for (const entryPoint of entryPoints) {
      const program = basename(entryPoint, '.ts')
      const start = `require('./code-cache.js').runWithCodeCache(require.resolve('./${program}.js'))`
      writeFileSync(join(folder, `${program}.cjs`), start)
    }
  })
