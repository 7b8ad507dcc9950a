import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { visibleLines } from '../src/contract/visible.ts'
import { openRegistry } from '../src/registry/registry.ts'
import { type Findings, checkAsset, findingsMarkdown } from '../src/requests/proposed-asset.ts'
import { publishedSlugs } from '../src/requests/published-slugs.ts'
import { textAt } from '../src/tree/reader.ts'
import type { Output } from './command.ts'
import { registryOf } from './registry-file.ts'
import { settingsWith } from './settings.ts'
import { EXIT, UsageError } from './usage.ts'

const Slugged = z.looseObject({ slug: z.string() })

/** What checking files takes. */
interface Checking {
  readonly files: readonly string[]
  /** Folder of a published tree, whose listings are compared too. */
  readonly tree: string
  /** File to write the findings into. */
  readonly comment: string | undefined
}

/** Checks files that add assets to the registry. Returns the exit code. */
export async function checkFiles({ files, tree, comment }: Checking, output: Output): Promise<number> {
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined) throw new UsageError(`There is no file ${missing}.`)
  const { assets } = registryOf(await settingsWith())
  const entries = z.array(z.unknown()).parse(assets ?? openRegistry().assets)
  const published = publishedSlugs((file) => textAt(join(tree, file)))?.listed ?? []
  const findings = files.map((file) => found(file, entries, published))
  if (comment !== undefined) writeFileSync(comment, findingsMarkdown(findings))
  output.result(findings, () => visibleLines(findings.flatMap(linesOf)))
  return findings.some(({ faults }) => faults.length > 0) ? EXIT.refused : EXIT.done
}

type Published = NonNullable<ReturnType<typeof publishedSlugs>>['listed']

/** Checks one file against the registry without it. */
function found(file: string, entries: readonly unknown[], published: Published): Findings {
  const own = basename(file, '.json')
  const others = entries.filter((entry) => Slugged.safeParse(entry).data?.slug !== own)
  const known = [...published, ...openRegistry({ assets: others }).assets]
  const logo = textAt(resolve(dirname(file), `${own}.svg`))
  return checkAsset({
    path: file,
    text: textAt(file) ?? '',
    logo,
    others,
    known: [...new Map(known.map((one) => [one.slug, one])).values()],
  })
}

const linesOf = ({ path, asset, faults, warnings }: Findings): string[] => [
  `${path}: ${asset ?? 'cannot be read'}`,
  ...faults.map((fault) => `  must be changed: ${fault}`),
  ...warnings.map((warning) => `  to look at: ${warning}`),
]
