import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import fse from 'fs-extra'
import * as z from 'zod'
import { Config } from '../src/config/settings.ts'
import { slugOf } from '../src/core/contract/names.ts'
import { readJson } from '../src/core/contract/read-json.ts'
import { filesBelow, textAt } from '../src/core/tree/reader.ts'
import { UsageError, declare, text, texts, writable } from './command.ts'
import { ENGINE_VERSION } from './environment.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
/** Whether the program runs from a clone, which packs it into each folder. */
const isClone = existsSync(join(project, 'scripts/packages.ts'))

export const TEMPLATE = fileURLToPath(new URL('./template/', import.meta.url))

/** The workflow that a released version has in its repository, and that a folder carries before. */
const CALLED = '.github/workflows/publish.yml'
/** The workflows of a feed are those of the project. The package has them in its template. */
export const WORKFLOWS = [CALLED, '.github/workflows/snapshot.yml', '.github/workflows/registry.yml']

const Released = z.object({ repository: z.object({ url: z.string() }) })

/** Returns `<owner>/<name>` on GitHub, as the package of a release states it; null for a clone, or an archive of one. */
function repositoryHere(): string | null {
  const stated = readJson(textAt(fileURLToPath(new URL('package.json', import.meta.url))), Released)
  return /github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(stated?.repository.url ?? '')?.[1] ?? null
}

const PLACEHOLDERS = { product: 'My Prices', name: '"my-prices"', version: '"*"', asset: 'registry/example-coin.json' }

function assetFile(given: string): readonly [path: string, text: string] {
  const [, symbol = '', name = ''] = /^([^\s=]+)=(.+)$/.exec(given) ?? []
  const slug = slugOf(name)
  if (slug === '') throw new UsageError(`--asset takes SYMBOL=Name, such as "GROVE=Grove Coin", not "${given}".`)
  return [`registry/${slug}.json`, `${JSON.stringify({ slug, symbol, name }, null, 2)}\n`]
}

/** Returns the files by path. `engine` is a version, or a file in the folder; `repository` is null before a release. */
export function publisherFiles(product: string, assets: readonly string[], engine: string, repository: string | null) {
  const own = assets.map(assetFile)
  const filled = (file: string): string =>
    readFileSync(join(TEMPLATE, file), 'utf8')
      .replaceAll(PLACEHOLDERS.product, product)
      .replace(PLACEHOLDERS.name, `"${slugOf(product) || 'feed'}"`)
      .replace(PLACEHOLDERS.version, `"${engine}"`)
  const files = new Map(
    filesBelow(TEMPLATE, '')
      .filter((file) => own.length === 0 || file !== PLACEHOLDERS.asset)
      // npm leaves files of that name out of packages.
      .map((file) => [file.replace(/^gitignore$/, '.gitignore'), filled(file)]),
  )
  for (const file of WORKFLOWS) {
    const text = readFileSync(join(isClone ? project : TEMPLATE, file), 'utf8')
    files.set(
      file,
      repository === null ? text : text.replace(`./${CALLED}`, `${repository}/${CALLED}@v${ENGINE_VERSION}`),
    )
  }
  if (repository !== null) files.delete(CALLED)
  return new Map([...files, ...own])
}

export const command = declare({
  operands: '<folder>',
  options: {
    product: text('name of the feed; the name of the folder by default'),
    asset: texts('an asset of your own, as SYMBOL=Name'),
  },
  async run({ product, asset = [] }, [place, stray], output) {
    if (place === undefined || stray !== undefined) throw new UsageError('Name one folder: npx quotetree new <folder>')
    const folder = resolve(writable(place))
    const [present] = existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.git') : []
    if (present !== undefined) throw new UsageError(`${place} is not empty: it has ${present}. Name a new folder.`)
    const name = product ?? basename(folder)
    if (!Config.shape.product.safeParse(name).success)
      throw new UsageError(
        '--product takes a name of at most 60 characters, without quotes, braces, brackets, $ and \\.',
      )
    const engine = isClone ? `file:vendor/quotetree-${ENGINE_VERSION}.tgz` : ENGINE_VERSION
    const files = publisherFiles(name, asset, engine, isClone ? null : repositoryHere())
    for (const [path, text] of files) fse.outputFileSync(join(folder, path), text)
    if (isClone) {
      const args = ['run', '--silent', 'pack', '--', join(folder, 'vendor'), '--engine']
      execFileSync('npm', args, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
    }
    const next = `cd ${relative('.', folder) || '.'} && npm install && npm start`
    output.result({ files: [...files.keys()], next }, () => `${files.size} files of ${name} in ${place}. Next: ${next}`)
  },
})
