import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tokens } from '@web3icons/common/metadata'
import * as z from 'zod'
import { byKey } from '../src/core/contract/order.ts'
import { safeSvg } from '../src/core/registry/safe-svg.ts'
import { say } from './terminal.ts'

/** What is taken of 1,787 logos: those of the largest assets that are small enough, and almost any size of the very first. */
const MOST_RANK = 500
const MOST_BYTES = 3000
const FIRST_RANK = 100
const MOST_BYTES_OF_FIRST = 26_000

const Icon = z.object({ default: z.string() })

// The package is too large to depend on: 81 MB in 18,000 files.
const folder = process.argv[2]
const icons = resolve(folder ?? '', 'dist/svgs')
if (folder === undefined || !existsSync(icons))
  throw new Error('Name the folder of @web3icons/core, such as node_modules/@web3icons/core.')
const logos: [string, string][] = []
for (const { id, filePath, marketCapRank } of tokens) {
  // A coin has the drawing of its chain where it is the same: `network:ton`.
  const [kind = '', name = ''] = filePath.split(':')
  const file = join(icons, `${kind}s`, 'background', `${name}.svg.js`)
  const rank = marketCapRank ?? 0
  if (rank > MOST_RANK || !existsSync(file)) continue
  const svg = safeSvg(Icon.parse(await import(pathToFileURL(file).href)).default)
  const most = rank > FIRST_RANK ? MOST_BYTES : MOST_BYTES_OF_FIRST
  if (svg !== null && Buffer.byteLength(svg) <= most) logos.push([id, svg])
}
const lines = logos.toSorted(byKey).map((entry) => entry.map((text) => JSON.stringify(text)))
const text = `{\n${lines.map(([id, svg]) => `  ${id}: ${svg}`).join(',\n')}\n}\n`
writeFileSync(fileURLToPath(new URL('../src/core/registry/logos.json', import.meta.url)), text)
say(`Wrote src/core/registry/logos.json: ${logos.length} logos, ${Buffer.byteLength(text)} bytes`)
