import { resolve } from 'node:path'
import { packClient } from './client-package.ts'
import { packEngine } from './engine-package.ts'
import { print } from './terminal.ts'

const folder = resolve(process.argv[2] ?? '.')
for (const pack of [packEngine, packClient]) {
  // oxlint-disable-next-line no-await-in-loop -- each starts a compiler
  const { filename, size, files } = await pack(folder)
  const paths = files.map(({ path }) => `  ${path}`).toSorted()
  print(
    [...paths, `${filename}: ${files.length} files, ${size} bytes. npm install ${resolve(folder, filename)}`].join(
      '\n',
    ),
  )
}
