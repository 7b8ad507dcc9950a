import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAYOUT } from '../src/tree/layout.ts'
import { sourceLine, summary } from '../src/run/report.ts'
import { isStaleSample } from '../src/run/stale-sample.ts'
import { build } from './build.ts'
import { declare } from './command.ts'
import { runTime } from './environment.ts'
import { queueIfAny } from './open-queue.ts'
import { serveTree } from './serve.ts'
import { settingsWith } from './settings.ts'

export const command = declare({
  without: { json: 'it serves until it is stopped' },
  options: {},
  async run(_, __, output) {
    const index = join('dist', LAYOUT.index)
    const last = existsSync(index) ? readFileSync(index, 'utf8') : null
    if (last === null || isStaleSample(last, runTime())) {
      output.line(
        last === null ? 'Building a sample tree into dist' : 'Building the sample in dist anew: its data is stale',
      )
      const report = await build(
        { kind: 'sample', out: 'dist', settings: await settingsWith(), queue: queueIfAny('.queue') },
        (event) => {
          if (event.kind === 'answered') output.line(sourceLine(event.report))
        },
      )
      output.line(summary(report))
    }
    return serveTree({ tree: 'dist', queue: '.queue', log: false }, output)
  },
})
