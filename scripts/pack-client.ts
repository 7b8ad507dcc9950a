import { resolve } from 'node:path'
import { packClient } from './client-package.ts'
import { print, printError } from './terminal.ts'
import { EXIT, main, options } from './usage.ts'

await main(async () => {
  const given = options('pack-client', 'Packs the client as an npm package that can be installed from the archive.', {
    out: { type: 'string', about: 'folder for the archive, the current one by default' },
  })
  const folder = resolve(String(given['out'] ?? '.'))
  const { filename, size, files } = await packClient(folder)
  for (const { path, size } of files) printError(`${path}: ${size} bytes`)
  print(`${filename}: ${size} bytes. Install it with: npm install ${resolve(folder, filename)}`)
  return EXIT.done
})
