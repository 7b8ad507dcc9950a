import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { EXIT, main, options } from './usage.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const COMPILER = join(project, 'node_modules/typescript/bin/tsc')
// As in tsconfig.json, of which a compiler that is told files takes nothing.
const TYPES =
  '--declaration --emitDeclarationOnly --strict --exactOptionalPropertyTypes --skipLibCheck ' +
  '--target es2023 --module nodenext --allowImportingTsExtensions --types node --rootDir src'

/** Every declaration that the one of the entry leads to, with its text. What is left out is nobody's business. */
function reachable(folder: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const read = (name: string): void => {
    const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8')
    // Beside a declaration stands a program, and that is what a resolver looks for.
    texts.set(name, text.replaceAll(/ from '(\.\/\w+)\.ts'/g, ` from '$1.js'`))
    for (const [, next = ''] of text.matchAll(/ from '\.\/(\w+)\.ts'/g)) if (!texts.has(next)) read(next)
  }
  read('client')
  return texts
}

await main(async () => {
  const given = options('pack-client', 'Builds the client that the package holds, with its types.', {
    out: { type: 'string', about: 'folder to write, dist/client by default' },
  })
  const usual = join(project, 'dist/client')
  const out = String(given['out'] ?? usual)
  // Only what is ours: the package holds the folder as it is.
  if (out === usual) rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  await build({
    entryPoints: [join(project, 'src/client/client.ts')],
    outfile: join(out, 'client.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  })

  const folder = mkdtempSync(join(tmpdir(), 'quotetree-types-'))
  try {
    execFileSync(
      process.execPath,
      [COMPILER, 'src/client/client.ts', '--ignoreConfig', ...TYPES.split(' '), '--outDir', folder],
      {
        cwd: project,
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    for (const [name, text] of reachable(join(folder, 'client'))) writeFileSync(join(out, `${name}.d.ts`), text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const code = readFileSync(join(out, 'client.js'))
  console.error(`client.js: ${code.length} bytes, ${gzipSync(code, { level: 9 }).length} with gzip`)
  return EXIT.done
})
