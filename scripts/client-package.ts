import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { type Packed, npmPack } from './npm-pack.ts'
import { methodsSource, packedAnswersSource } from './client-source.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const COMPILER = join(project, 'node_modules/typescript/bin/tsc')
// The options of tsconfig.json, repeated because tsc ignores the configuration when given files.
const TYPE_OPTIONS =
  '--ignoreConfig --declaration --emitDeclarationOnly --strict --exactOptionalPropertyTypes --skipLibCheck ' +
  '--target es2023 --lib es2023,es2024.string,dom,dom.iterable,dom.asynciterable --module nodenext ' +
  '--allowImportingTsExtensions --types node --rootDir .'

/** Returns every declaration reachable from the entry, by name. Others are internal and stay out of the package. */
function reachableDeclarations(folder: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const read = (name: string): void => {
    const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8')
    // Module resolvers look for the `.js` file of a declaration.
    texts.set(name, text.replaceAll(/ from '(\.\/[\w-]+)\.ts'/g, ` from '$1.js'`))
    for (const [, next = ''] of text.matchAll(/ from '\.\/([\w-]+)\.ts'/g)) if (!texts.has(next)) read(next)
  }
  read('client')
  return texts
}

/** Writes the types of the package. The answers, which the source infers from the schemas, are written out: it has no zod. */
async function writeTypes(folder: string): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'quotetree-types-'))
  try {
    for (const room of ['client', 'core/contract'])
      cpSync(join(project, 'src', room), join(copy, room), { recursive: true })
    writeFileSync(join(copy, 'client/answers.ts'), await packedAnswersSource())
    writeFileSync(join(copy, 'client/methods.ts'), await methodsSource(true))
    symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
    const options = [...TYPE_OPTIONS.split(' '), '--outDir', 'compiled']
    execFileSync(process.execPath, [COMPILER, 'client/client.ts', ...options], {
      cwd: copy,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    for (const [name, text] of reachableDeclarations(join(copy, 'compiled/client'))) {
      writeFileSync(join(folder, `${name}.d.ts`), text)
      // A compiler takes the kind of a module from the name of its declaration.
      writeFileSync(join(folder, `${name}.d.cts`), text.replaceAll(/ from '(\.\/[\w-]+)\.js'/g, ` from '$1.cjs'`))
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Writes a module for `import` and one for `require`. */
async function writeModules(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(project, 'src/client/client.ts'),
    platform: 'neutral',
    // What is loaded later shares the modules of the client, such as its errors.
    preserveEntrySignatures: 'allow-extension',
    // Its users name another prefix as an option.
    transform: { target: 'es2022', define: { 'typeof API_PREFIX': '"undefined"' } },
  })
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const)
    await bundle.write({
      format,
      dir: folder,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
      minify: true,
    })
  await bundle.close()
}

/** Writes the program that answers agents over standard input. */
const writeAgentServer = (folder: string) =>
  build({
    entryPoints: [join(project, 'scripts/hosts/mcp.ts')],
    outfile: join(folder, 'mcp.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    banner: { js: '#!/usr/bin/env node' },
  })

/** Writes the client package into a folder: one module for `import` and one for `require`, types, manifest, README, licence. */
async function writeClientPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of ['src/client/package.json', 'src/client/README.md', 'LICENSE'])
    copyFileSync(join(project, file), join(folder, file.slice(file.lastIndexOf('/') + 1)))
  await writeModules(folder)
  await writeAgentServer(folder)
  await writeTypes(folder)
}

/** Packs the client into an archive in a folder. Returns npm's description of it. */
export const packClient = (destination: string): Promise<Packed> => npmPack(writeClientPackage, destination)
