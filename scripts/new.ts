import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import fse from 'fs-extra'
import * as z from 'zod'
import { Config } from '../src/config/settings.ts'
import { filesBelow } from '../src/core/tree/reader.ts'
import { declare, text } from './command.ts'
import { ENGINE_VERSION } from './environment.ts'
import { EXIT, UsageError } from './usage.ts'

export const TEMPLATE = fileURLToPath(new URL('./template/', import.meta.url))

/** The workflows of a feed, which are those of the project. */
const WORKFLOWS = ['snapshot', 'publish', 'registry'].map((name) => `.github/workflows/${name}.yml`)

/** Returns the path of each workflow: beside the other files in the package, and that of the project in a clone. */
export const workflowFiles = (): ReadonlyMap<string, string> =>
  new Map(
    WORKFLOWS.map((file) => {
      const packed = join(TEMPLATE, file)
      return [file, existsSync(packed) ? packed : fileURLToPath(new URL(`../${file}`, import.meta.url))]
    }),
  )

/** The workflow that a released version has in its repository, and that a folder carries before. */
const CALLED = '.github/workflows/publish.yml'

/** Where the program of a folder is from. */
export interface Origin {
  /** What package.json says of it: a version, or a file in the folder. */
  readonly engine: string
  /** `<owner>/<name>` on GitHub of a released version; null before. */
  readonly repository: string | null
}

const Released = z.object({ repository: z.object({ url: z.string() }) })

/** Whether the program runs from a clone, which packs it into each folder. */
const isClone = existsSync(fileURLToPath(new URL('packages.ts', import.meta.url)))

/** Where this program is from: a clone, an archive of one, or a release, whose package states its repository. */
function originOf(): Origin {
  if (isClone) return { engine: `file:vendor/quotetree-${ENGINE_VERSION}.tgz`, repository: null }
  const file = fileURLToPath(new URL('package.json', import.meta.url))
  const stated = existsSync(file) ? Released.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data : undefined
  const [, repository = null] = /github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(stated?.repository.url ?? '') ?? []
  return { engine: ENGINE_VERSION, repository }
}

/** What the files of the template have in place of the publisher's own. */
const PLACEHOLDERS = { product: 'My Prices', name: '"my-prices"', version: '"*"', asset: 'registry/example-coin.json' }

/** Returns a text as a name in lower case, with dashes; empty if no letter or digit is left. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** An asset of the publisher, given as SYMBOL=Name. @throws UsageError */
function assetFile(given: string): readonly [path: string, text: string] {
  const [, symbol = '', name = ''] = /^([^\s=]+)=(.+)$/.exec(given) ?? []
  const slug = slugOf(name)
  if (slug === '') throw new UsageError(`--asset takes SYMBOL=Name, such as "GROVE=Grove Coin", not "${given}".`)
  return [`registry/${slug}.json`, `${JSON.stringify({ slug, symbol, name }, null, 2)}\n`]
}

/** Returns the files of a publisher's folder, by path. */
export function publisherFiles(
  product: string,
  assets: readonly string[],
  { engine, repository }: Origin,
): ReadonlyMap<string, string> {
  const own = assets.map(assetFile)
  const files = filesBelow(TEMPLATE, '').filter((file) => own.length === 0 || file !== PLACEHOLDERS.asset)
  const filled = (text: string) =>
    text
      .replaceAll(PLACEHOLDERS.product, product)
      .replace(PLACEHOLDERS.name, `"${slugOf(product) || 'feed'}"`)
      .replace(PLACEHOLDERS.version, `"${engine}"`)
  return new Map([
    // npm leaves files of that name out of packages.
    ...files.map(
      (file) =>
        [file.replace(/^gitignore$/, '.gitignore'), filled(readFileSync(join(TEMPLATE, file), 'utf8'))] as const,
    ),
    ...[...workflowFiles()].flatMap(([file, path]) => {
      const text = readFileSync(path, 'utf8')
      if (repository === null) return [[file, text] as const]
      const called = `${repository}/${CALLED}@v${ENGINE_VERSION}`
      return file === CALLED ? [] : [[file, text.replace(`./${CALLED}`, called)] as const]
    }),
    ...own,
  ])
}

export const command = declare({
  operands: '<folder>',
  options: {
    product: text('name of the feed; the name of the folder by default'),
    asset: { type: 'string', multiple: true, about: 'an asset of your own, as SYMBOL=Name; repeatable' },
  },
  run({ product, asset = [] }, [place, stray], output) {
    if (place === undefined || stray !== undefined) throw new UsageError('Name one folder: npx quotetree new <folder>')
    const folder = resolve(place)
    const [present] = existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.git') : []
    if (present !== undefined) throw new UsageError(`${place} is not empty: it has ${present}. Name a new folder.`)
    const name = product ?? basename(folder)
    if (!Config.shape.product.safeParse(name).success)
      throw new UsageError(
        '--product takes a name of at most 60 characters, without quotes, braces, brackets, $ and \\.',
      )
    const files = publisherFiles(name, asset, originOf())
    for (const [path, text] of files) fse.outputFileSync(join(folder, path), text)
    if (isClone) {
      const args = ['run', '--silent', 'pack', '--', join(folder, 'vendor'), '--engine']
      execFileSync('npm', args, {
        cwd: fileURLToPath(new URL('..', import.meta.url)),
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    }
    const next = `cd ${relative('.', folder) || '.'} && npm install && npm start`
    output.result({ files: [...files.keys()], next }, () => `${files.size} files of ${name} in ${place}. Next: ${next}`)
    return EXIT.done
  },
})
