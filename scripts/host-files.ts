import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import fse from 'fs-extra'
import * as z from 'zod'
import { sha256Of } from '../src/core/contract/digest.ts'
import { readJson } from '../src/core/contract/read-json.ts'
import type { Publisher } from '../src/core/endpoints/ecosystem.ts'
import { HOSTS, type HostFile, type HostPlan, type Site } from '../src/service/hosts.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { filesBelow, textAt } from '../src/core/tree/reader.ts'
import { settingsWith } from './settings.ts'
import { workerProgram } from './programs.ts'
import { TREE, type Output, type Parsed, seeHelp, flag, text } from './command.ts'
import { publisherAt } from './tree-reader.ts'
import { EXIT, UsageError, wholeNumber } from './usage.ts'

export const HOST_OPTIONS = {
  host: text(`write the files of a host: ${Object.keys(HOSTS).join(', ')}`),
  tree: TREE,
  out: text("with --host: folder for the host's own files, .hosting/<host> by default"),
  server: { type: 'string', default: '127.0.0.1:8787', about: 'nginx: host:port of npm run serve' },
  port: { type: 'string', default: '80', about: 'nginx: port to listen on' },
  brotli: flag('nginx: its brotli static module is available'),
  database: { type: 'string', default: '', about: 'cloudflare: id of the D1 database of listing requests' },
} as const

/** Writes the files of a host. Returns the exit code. @throws UsageError if there is no such host */
export async function writeHostFiles(
  host: string,
  values: Parsed<typeof HOST_OPTIONS>['values'],
  output: Output,
): Promise<number> {
  const plan = Object.entries(HOSTS).find(([name]) => name === host)?.[1]
  if (!plan) throw new UsageError(`Name one host: ${Object.keys(HOSTS).join(', ')}. ${seeHelp('config')}`)
  const root = resolve(values.tree)
  if (!plan.isMachine && !existsSync(root))
    throw new UsageError(`${values.tree} does not exist. Run npm run snapshot first.`)
  const out = resolve(values.out ?? join('.hosting', host))
  const publisher = publisherAt(root)
  const { config } = await settingsWith()
  // A tree says who publishes it; without one, the settings do.
  const { product, ecosystem } = existsSync(join(root, LAYOUT.index)) ? publisher : config
  const files = hostFiles(host, {
    specs: publisher.specs,
    product,
    machine: { ...programHere(), node: process.execPath, cadenceMinutes: config.cadenceMinutes },
    // A deployment runs in the folder of the host's files; nginx runs anywhere.
    tree: host === 'nginx' ? root : relative(out, root),
    server: values.server,
    port: wholeNumber('port', values.port) ?? 80,
    brotli: values.brotli,
    database: values.database || null,
  })
  const written = writeAll(root, out, [...files, ...(await programOf(plan, { product, ecosystem }))])
  const next = `Next, in ${relative('.', out) || '.'}: ${plan.next}`
  output.result({ written, next: plan.next }, () => [...written, next].join('\n'))
  return EXIT.done
}

/** Folder with the files of hosts: a folder each, and what several of them have. */
const KEPT = fileURLToPath(new URL('./hosts/files/', import.meta.url))
const kept = (path: string): string => readFileSync(join(KEPT, path), 'utf8')

/** Returns the files of a host, those that are kept here filled with its values. */
export function hostFiles(host: string, site: Site): HostFile[] {
  const { files, values, isMachine } = HOSTS[host] ?? {}
  const given = new Map(Object.entries(values?.(site) ?? {}))
  const filled = (path: string): HostFile => ({
    path: path.slice(path.indexOf('/') + 1),
    text: kept(path).replaceAll(/\{\{(\w+)\}\}/g, (name, key: string) => given.get(key) ?? name),
    place: 'folder',
  })
  return [...filesBelow(KEPT, host).map(filled), ...(isMachine ? [filled('run.sh')] : []), ...(files?.(site) ?? [])]
}

/** Returns the current folder, and the program that runs in it: its own in a clone of the project, else the installed one. */
const programHere = () => ({
  project: process.cwd(),
  program: existsSync('scripts/quotetree.mjs') ? 'scripts/quotetree.mjs' : 'node_modules/quotetree/quotetree.js',
})

async function programOf({ program }: HostPlan, publisher: Publisher): Promise<HostFile[]> {
  if (program === undefined) return []
  return [{ path: program, text: await workerProgram(publisher), place: 'folder' }]
}

/** Writes files into the tree and into a folder of their own. Returns their paths. */
function writeAll(root: string, out: string, files: readonly HostFile[]): string[] {
  const own = files.filter(({ place }) => place === 'folder')
  const places = [
    [root, files.filter(({ place }) => place === 'tree')],
    [out, own],
  ] as const
  refuseOthers(out, own)
  for (const [folder, those] of places) refuseEdited(folder, those)
  return places.flatMap(([folder, those]) => {
    const written = those.map(({ path, text }) => write(join(folder, path), text))
    if (those.length > 0) write(join(folder, LIST), listOf(those))
    return written
  })
}

/** Lists the files that the command wrote into a folder, each with its digest, so that it replaces no others. */
const LIST = '.hosting.json'
const Listed = z.record(z.string(), z.string())

const listOf = (own: readonly HostFile[]): string =>
  `${JSON.stringify(Object.fromEntries(own.map(({ path, text }) => [path, sha256Of(text)])), null, 2)}\n`

/** @throws UsageError if a folder holds only other files */
function refuseOthers(out: string, own: readonly HostFile[]): void {
  const names = existsSync(out) ? readdirSync(out).filter((name) => !name.startsWith('.')) : []
  const [first] = names.toSorted()
  const isOwn = names.some((name) => own.some(({ path }) => path.split('/')[0] === name))
  if (first !== undefined && !isOwn)
    throw new UsageError(`${out} holds ${first}, and no files for a host. Name an empty folder with --out.`)
}

/** @throws UsageError if a folder holds another file in place of one that the command writes */
function refuseEdited(folder: string, own: readonly HostFile[]): void {
  const listed = readJson(textAt(join(folder, LIST)), Listed) ?? {}
  for (const { path, text } of own) {
    const present = existsSync(join(folder, path)) ? textAt(join(folder, path)) : text
    if (present === null || (present !== text && sha256Of(present) !== listed[path]))
      throw new UsageError(`${join(folder, path)} was edited, or not written by this command. Move it and run again.`)
  }
}

function write(path: string, text: string): string {
  fse.outputFileSync(path, text)
  return relative('.', path)
}
