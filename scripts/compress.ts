import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { lock } from '../src/tree/lock.ts'
import { precompress } from '../src/tree/precompressed.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    tree: { type: 'string', about: 'folder of the tree, dist by default' },
  },
  async run(given, _, output) {
    const root = resolve(given.tree ?? 'dist')
    if (!existsSync(root)) throw new UsageError(`${root} does not exist. Run npm run snapshot first.`)
    const unlock = lock(root, Date.now())
    try {
      const result = await precompress(root)
      const { files, made, removed, bytes, encodedBytes } = result
      const mib = (size: number) => `${(size / 2 ** 20).toFixed(1)} MiB`
      output.result(
        result,
        () =>
          `${files} files: ${made} precompressed, ${2 * files - made} unchanged, ${removed} deleted; ` +
          `${mib(bytes)} raw, ${mib(encodedBytes['.gz'])} as .gz and ${mib(encodedBytes['.br'])} as .br`,
      )
    } finally {
      unlock()
    }
    return EXIT.done
  },
})
