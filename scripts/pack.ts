import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { packClient, packEngine } from './packages.ts'
import { print } from './terminal.ts'
import { main } from './usage.ts'

const HELP = `npm run pack -- [folder] [--engine]
Packs the program and the client as .tgz files into a folder, this one by default. --engine leaves the client out.`

await main(async () => {
  const options = { help: { type: 'boolean', short: 'h' }, engine: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const folder = resolve(positionals[0] ?? '.')
  if (values.help === true) print(HELP)
  for (const pack of values.help === true ? [] : values.engine === true ? [packEngine] : [packEngine, packClient]) {
    // oxlint-disable-next-line no-await-in-loop -- each starts a compiler
    const { filename, size, files } = await pack(folder)
    const paths = files.map(({ path }) => `  ${path}`).toSorted()
    const summary = `${filename}: ${files.length} files, ${size} bytes. npm install ${resolve(folder, filename)}`
    print([...paths, summary].join('\n'))
  }
  return 0
})
