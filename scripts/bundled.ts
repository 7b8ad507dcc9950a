import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, type OutputFile, build } from 'esbuild'
import { PAGES } from '../src/pages/pages.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const bundled = async (options: BuildOptions): Promise<readonly OutputFile[]> => {
  const shared = { bundle: true, write: false, format: 'esm', target: 'es2022', minify: true } as const
  const { outputFiles } = await build({ ...shared, legalComments: 'inline', ...options })
  return outputFiles ?? []
}

/** A script or a style of the pages. */
export interface PageFile {
  readonly name: string
  readonly text: string
}

/** Bundles the scripts and the styles of the pages into single files. The package has them ready-made. */
export async function pageFiles(): Promise<readonly PageFile[]> {
  const names = [...PAGES.map(({ program }) => `${program}.ts`), 'embed.ts', 'theme.ts', 'style.css']
  const entryPoints = names.map((name) => at(`../src/pages/${name}`))
  const files = await bundled({ entryPoints, outdir: 'ui', platform: 'browser', charset: 'utf8' })
  return files.map(({ path, text }) => ({ name: basename(path), text }))
}

/** Runtime of each program for a host: web-standard, or Node. */
export const HOST_PROGRAMS = { cloudflare: 'neutral', netlify: 'node', vercel: 'node' } as const
export type HostProgram = keyof typeof HOST_PROGRAMS

/** Bundles the program of a host into one file. The package has it ready-made. */
export async function hostProgram(name: HostProgram): Promise<string> {
  const [file] = await bundled({
    entryPoints: [at(`hosts/${name}.ts`)],
    platform: HOST_PROGRAMS[name],
    mainFields: ['module', 'main'],
    // Only programs for a runtime with Node's modules import them.
    external: ['node:*'],
  })
  return file?.text ?? ''
}
