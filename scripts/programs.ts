import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type Metafile, type OutputFile, type Plugin, build } from 'esbuild'
import { ROUTES } from '../src/client/methods.ts'
import { PREFIX } from '../src/core/contract/prefix.ts'
import { ECOSYSTEM, PRODUCT } from '../src/core/contract/product.ts'
import type { Publisher } from '../src/core/endpoints/ecosystem.ts'
import { NOT_FOUND, PAGES } from '../src/pages/pages.ts'

type PageFile = Readonly<Record<'name' | 'text', string>>

/** What the compiled program has ready-made, so that it bundles nothing: {@link compileProgram} defines it. */
declare const READY_MADE: { readonly pages: readonly PageFile[]; readonly worker: string } | undefined

/** Returns the place of a file that is named relative to this folder. */
export const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const bundled = async (options: BuildOptions): Promise<readonly OutputFile[]> => {
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    // Names of chunks follow from the paths of modules, which lie below the project wherever its packages are linked to.
    absWorkingDir: at('..'),
    preserveSymlinks: true,
    legalComments: 'inline',
    ...options,
  })
  return outputFiles ?? []
}

/** Bundles the client with its routes instead of the table of endpoints. */
export const withRoutes: Plugin = {
  name: 'routes',
  setup: (builder) =>
    builder.onLoad({ filter: /client\/methods\.ts$/ }, () => ({
      contents: `export const ROUTES = ${JSON.stringify(ROUTES)}`,
    })),
}

async function bundledPages(): Promise<readonly PageFile[]> {
  const filesOf = (names: readonly string[], options: BuildOptions = {}) =>
    bundled({
      entryPoints: names.map((name) => at(`../src/pages/${name}`)),
      outdir: 'ui',
      absWorkingDir: at('../src/pages'),
      platform: 'browser',
      charset: 'utf8',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      plugins: [withRoutes],
      ...options,
    })
  const programs = [...new Set([...PAGES, NOT_FOUND].map(({ program }) => program))]
  const files = await Promise.all([
    // The pages share chunks, and load a chart when one is shown.
    filesOf(programs, { splitting: true, chunkNames: 'chunk-[hash]' }),
    filesOf(['embed.ts', 'theme.ts', 'style.css']),
  ])
  return files.flat().map(({ path, text }) => ({ name: basename(path), text: layered(text) }))
}

/**
 * Returns a style sheet whose groups, `:where(a,b){…}`, are plain lists in a layer each, which later layers and rules without
 * one override as before. A browser looks up a list by class and tag, and tries a `:where()` on every element of a page.
 */
const layered = (css: string): string =>
  css.replace(
    /(?<=[{}])(?:(?::where\((?:[^()]|\([^()]*\))*\)|::placeholder),?)+{[^{}]*}/g,
    (rule) => `@layer{${rule.replaceAll(/:where\(((?:[^()]|\([^()]*\))*)\)/g, '$1')}}`,
  )

async function bundledWorker(): Promise<string> {
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

const stating = (constants: Readonly<Record<string, unknown>>, text: string): string =>
  Object.entries(constants)
    .flatMap(([name, value]) => (text.includes(name) ? [`const ${name}=${JSON.stringify(value)};\n`] : []))
    .join('') + text

export async function pageFiles(): Promise<readonly PageFile[]> {
  const files = typeof READY_MADE === 'undefined' ? await bundledPages() : READY_MADE.pages
  return files.map(({ name, text }) => ({ name, text: stating({ API_PREFIX: PREFIX }, text) }))
}

export async function workerProgram(publisher: Publisher = { product: PRODUCT, ecosystem: ECOSYSTEM }) {
  const text = typeof READY_MADE === 'undefined' ? await bundledWorker() : READY_MADE.worker
  return stating({ API_PREFIX: PREFIX, PUBLISHER: publisher }, text)
}

/** Compiles the program with its packages, which load in half the time then, and the programs of pages and hosts. */
export async function compileProgram(folder: string, plugins: Plugin[] = []): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [at('quotetree.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    metafile: true,
    // It starts a program of its own.
    external: ['esbuild'],
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    // Packages that are CommonJS ask for modules of Node by it.
    banner: {
      js: `#!/usr/bin/env node
import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.filename)`,
    },
    define: { READY_MADE: JSON.stringify({ pages: await bundledPages(), worker: await bundledWorker() }) },
    plugins,
  })
  return metafile
}
