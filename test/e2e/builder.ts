import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { NOON, sampleRun } from '../sample-tree.ts'

/** Builds into a folder over and over, an hour later and now and then a listing larger, until it is killed. Never smaller: that would be refused. */
const HOUR = 3_600_000
const root = process.argv[2] ?? ''
const Index = z.object({ generatedAt: z.string() })

const hourOf = (): number => {
  try {
    return (
      (Date.parse(Index.parse(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8'))).generatedAt) - NOON) / HOUR
    )
  } catch {
    return -1
  }
}
console.log('ready')
for (;;) {
  const hour = hourOf() + 1
  await sampleRun(root, {
    count: 20 + Math.floor(hour / 4),
    now: NOON + hour * HOUR,
    history: { perRun: 0, perSource: 0 },
  })
}
