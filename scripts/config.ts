import { existsSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { group } from 'd3-array'
import fse from 'fs-extra'
import * as z from 'zod'
import { configText, linesOf, valueAt } from '../src/config/check.ts'
import { suggestion } from '../src/config/nearest.ts'
import { type Config, SETTINGS } from '../src/config/settings.ts'
import { sha256Of } from '../src/core/contract/digest.ts'
import { readJson } from '../src/core/contract/read-json.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { filesBelow, textAt } from '../src/core/tree/reader.ts'
import { HOSTS, type HostedSite } from '../src/service/hosts.ts'
import { type Flags, type Output, TREE, UsageError, declare, seeHelp, text, texts, writable } from './command.ts'
import { CONFIG_FILE } from './config-file.ts'
import { environment } from './environment.ts'
import { at, workerProgram } from './programs.ts'
import { brandOf, settingsWith } from './settings.ts'
import { publisherAt } from './tree-reader.ts'

const OPTIONS = {
  get: texts('print the value of this setting alone, nothing if it is not set; of several, each as name=value'),
  host: text(`write the files of a host: ${Object.keys(HOSTS).join(', ')}`),
  tree: TREE,
  out: text("with --host: folder for the host's own files, .hosting/<host> by default"),
  database: text('cloudflare: id of the D1 database of listing requests'),
} as const

export const command = declare({
  options: OPTIONS,
  notes: `The file is ${CONFIG_FILE} in the current folder. Options of commands override the environment, and that overrides the file.`,
  async run(given, _, output) {
    if (given.host !== undefined) return writeHostFiles(given.host, given, output)
    if (given.out !== undefined || given.database !== undefined)
      throw new UsageError('--out and --database are for the files of a host: name it with --host.')
    const settings = await settingsWith()
    // A logo that cannot be used is a fault of the configuration.
    brandOf(settings)
    if (given.get !== undefined) return some(given.get, settings.config, output)
    const lines = linesOf(settings).map(({ path, value, from }) => ({ setting: path, value, from }))
    output.result(lines, () => configText(settings, settings.file && CONFIG_FILE))
  },
})

/** Prints values as a shell takes them: texts bare, everything else as JSON, and nothing for what is not set. */
function some(paths: readonly string[], config: Config, output: Output): void {
  const known = SETTINGS.map((setting) => setting.path)
  const values = paths.map((path) => {
    const value = valueAt(config, path)
    if (value === undefined) throw new UsageError(`There is no setting ${path}. ${suggestion(path, known)}`)
    return [path, value] as const
  })
  const textOf = (value: unknown) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value))
  output.result(Object.fromEntries(values), () =>
    values.map(([path, value]) => (values.length > 1 ? `${path}=${textOf(value)}` : textOf(value))).join('\n'),
  )
}

async function writeHostFiles(host: string, given: Flags<typeof OPTIONS>, output: Output): Promise<void> {
  const plan = Object.entries(HOSTS).find(([name]) => name === host)?.[1]
  if (!plan) throw new UsageError(`Name one host: ${Object.keys(HOSTS).join(', ')}. ${seeHelp('config')}`)
  const database = databaseFor(host, given)
  if (plan.isMachine && given.out !== undefined)
    throw new UsageError(`The files of ${host} name each other below .hosting/${host}: leave out --out.`)
  const root = resolve(given.tree)
  if (!plan.isMachine && !existsSync(root))
    throw new UsageError(`${given.tree} does not exist. Run npm run snapshot first.`)
  const out = resolve(writable(given.out ?? join('.hosting', host)))
  const published = publisherAt(root)
  const { config } = await settingsWith()
  // A tree says who publishes it; without one, the settings do.
  const { product, ecosystem } = existsSync(join(root, LAYOUT.index)) ? published : config
  const files = hostFiles(host, {
    specs: published.specs,
    product,
    // A deployment runs in the folder of the host's files; nginx runs anywhere.
    tree: host === 'nginx' ? root : relative(out, root),
    database,
    repository: environment().GITHUB_REPOSITORY ?? null,
    cadenceMinutes: config.cadenceMinutes,
    program: existsSync('scripts/quotetree.mjs') ? 'scripts/quotetree.mjs' : 'node_modules/quotetree/quotetree.js',
  })
  if (host === 'cloudflare')
    files.push({ path: 'worker.js', text: await workerProgram({ product, ecosystem }), isInTree: false })
  const written = writeAll(root, out, files)
  const next = database === null ? plan.next : plan.next.replace(/^.*<its id>, /, '')
  output.result({ written, next }, () => [...written, `Next, in ${relative('.', out) || '.'}: ${next}`].join('\n'))
}

function databaseFor(host: string, { database }: Flags<typeof OPTIONS>): string | null {
  if (database === undefined) return null
  if (host === 'cloudflare' && z.guid().safeParse(database).success) return database
  throw new UsageError('--database takes the id that wrangler d1 create printed, for --host cloudflare.')
}

const TEMPLATES = at('hosts/files/')

/** Returns the files of a host, which belong in the published tree or in a folder of its own. */
export function hostFiles(host: string, site: HostedSite) {
  const { values, inTree = [] } = HOSTS[host] ?? {}
  const texts = new Map(Object.entries(values?.(site) ?? {}))
  return filesBelow(TEMPLATES, host).map((file) => {
    const text = readFileSync(join(TEMPLATES, file), 'utf8')
    const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (name, key: string) => texts.get(key) ?? name)
    return { path: basename(file), text: filled, isInTree: inTree.includes(basename(file)) }
  })
}

/** Lists the files that the command wrote into a folder, each with its digest, so that it replaces no others. */
const LIST = '.hosting.json'

function writeAll(root: string, out: string, files: ReturnType<typeof hostFiles>): string[] {
  const placed = files.map(({ path, text, isInTree }) => ({ folder: isInTree ? root : out, path, text }))
  for (const { folder, path, text } of placed) {
    const file = join(folder, path)
    const present = existsSync(file) ? textAt(file) : text
    const digest = readJson(textAt(join(folder, LIST)), z.record(z.string(), z.string()))?.[path]
    if (present === null || (present !== text && sha256Of(present) !== digest))
      throw new UsageError(`${file} was edited, or not written by this command. Move it and run again.`)
  }
  for (const [folder, own] of group(placed, (one) => one.folder)) {
    for (const { path, text } of own) fse.outputFileSync(join(folder, path), text)
    const list = Object.fromEntries(own.map(({ path, text }) => [path, sha256Of(text)]))
    fse.outputFileSync(join(folder, LIST), `${JSON.stringify(list, null, 2)}\n`)
  }
  return placed.map(({ folder, path }) => relative('.', join(folder, path)))
}
