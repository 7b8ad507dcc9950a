import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LAYOUT } from '../src/tree/layout.ts'
import { sourceLine, summary } from '../src/run/report.ts'
import { build } from './build.ts'
import { queueIfAny } from './open-queue.ts'
import { serveTree } from './serve-tree.ts'
import { print } from './terminal.ts'
import { main, options } from './usage.ts'

await main(async () => {
  options('start', 'Serves the tree in dist. If there is none, builds one from the built-in sample sources.', {})
  if (!existsSync(join('dist', LAYOUT.index))) {
    print('Building a sample tree into dist')
    const report = await build({
      kind: 'sample',
      out: 'dist',
      only: null,
      listings: null,
      historyRequests: null,
      fresh: false,
      from: [],
      queue: queueIfAny('.queue'),
      registry: null,
      rights: null,
      country: null,
      accept: new Set(),
      onProgress: (turn) => print(sourceLine(turn)),
    })
    print(summary(report))
  }
  return serveTree('dist', '.queue')
})
