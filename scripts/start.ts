import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAYOUT } from '../src/tree/layout.ts'
import { sourceLine, summary } from '../src/run/report.ts'
import { isStaleSample } from '../src/run/stale-sample.ts'
import { build, clock } from './build.ts'
import { environment } from './environment.ts'
import { queueIfAny } from './open-queue.ts'
import { serveTree } from './serve-tree.ts'
import { print } from './terminal.ts'
import { main, options } from './usage.ts'

await main(async () => {
  options(
    'start',
    'Serves the tree in dist. If there is none, or a sample past its freshness, builds one from the built-in sample sources.',
    {},
  )
  const index = join('dist', LAYOUT.index)
  const last = existsSync(index) ? readFileSync(index, 'utf8') : null
  if (last === null || isStaleSample(last, clock(environment().MKT_NOW))) {
    print(last === null ? 'Building a sample tree into dist' : 'Building the sample in dist anew: its data is stale')
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
