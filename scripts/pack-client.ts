import { resolve } from 'node:path'
import { packClient } from './client-package.ts'
import { declare } from './command.ts'
import { EXIT } from './usage.ts'

export const command = declare({
  options: {
    out: { type: 'string', about: 'folder for the archive, the current one by default' },
  },
  async run(given, _, output) {
    const folder = resolve(given.out ?? '.')
    const { filename, size, files } = await packClient(folder)
    for (const { path, size } of files) output.line(`${path}: ${size} bytes`)
    output.result(
      { filename, size, files },
      () => `${filename}: ${size} bytes. Install it with: npm install ${resolve(folder, filename)}`,
    )
    return EXIT.done
  },
})
