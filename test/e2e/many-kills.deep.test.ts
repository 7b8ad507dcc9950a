import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Agent, fetch } from 'undici'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { Point } from '../../src/core/contract/history.ts'
import { filesAt } from '../../src/delivery/bucket.ts'
import { finishPublication } from '../../src/core/tree/tree.ts'
import { isUnfinished } from '../../src/core/tree/journal.ts'
import { listen } from '../../src/service/node.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'
import { onDisk } from '../service/world.ts'

const KILLS = 200
/** Maximum lifetime of a builder: the time of a few builds. */
const MOST_LIFE_MS = 900
/** How long the moves of a publication go on, about. */
const MOVES_MS = 12
/** Between two requests of one reader, so that reading leaves time for building. */
const PACE_MS = 10
const HOUR = 3_600_000

const Index = z.object({ generatedAt: z.string() })
const Answer = z.object({ ok: z.literal(true), timestamp: z.string() })
const Series = z.object({ rows: z.array(Point) })

const later = (ms: number) => new Promise((end) => setTimeout(end, ms))

async function journal(root: string): Promise<void> {
  for await (const { filename } of watch(root)) if (filename === '.journal') return
}

/** The builder as one file of JavaScript: two hundred of them start, and none has to be compiled. */
async function builder(): Promise<string> {
  const outfile = join(newFolder(), 'builder.mjs')
  const banner = {
    js: "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);",
  }
  const entryPoints = [fileURLToPath(new URL('builder.ts', import.meta.url))]
  await build({ entryPoints, outfile, banner, bundle: true, format: 'esm', platform: 'node', target: 'node20.18' })
  return outfile
}

async function started(program: string, root: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

it('loses nothing and serves nothing torn while builds over a growing tree are killed 200 times', async () => {
  const [root, program] = [newFolder(), await builder()]
  await sampleRun(root, { count: 20, history: { perRun: 0, perSource: 0 } })
  const file = (name: string) => readFileSync(join(root, 'api', name), 'utf8')
  const publishedAt = () => Date.parse(Index.parse(JSON.parse(file('mkt.json'))).generatedAt)
  // A clock that makes the server look for a new publication at every request.
  let ticks = 0
  const server = await listen(
    onDisk(root, () => (ticks += 1000)),
    '127.0.0.1',
    0,
  )

  const over = new AbortController()
  // A connection for each request: the server ends idle ones, and this process may be too busy to notice in time.
  const dispatcher = new Agent({ pipelining: 0 })
  let answers = 0
  const read = async (path: string) => {
    while (!over.signal.aborted) {
      const before = publishedAt()
      const response = await fetch(`${server.url}${path}`, { dispatcher })
      const text = await response.text()
      await later(PACE_MS)
      const { timestamp } = Answer.parse(JSON.parse(text))
      // Of the published snapshot, or of the next one; documents that every run changes say which.
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(publishedAt() + HOUR)
      expect(response.headers.get('etag')).toContain(sha256Of(text).slice(0, 32))
      answers++
    }
  }
  const paths = ['', '/collector', '/assets', '/assets?limit=7', '/history/bitcoin?days=1', '/assets/bitcoin']
  const readers = paths.map((path) => read(`/api/mkt${path}`))

  // A plain congruential sequence of moments: the same every time, though not the same states of the disk.
  let state = 20261120
  const chance = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
  let unfinished = 0
  const begun: ChildProcess[] = []
  const kills = async (times: number) => {
    for (let kill = 0; kill < times; kill++) {
      const child = await started(program, root)
      begun.push(child)
      // Every other one at any moment; the rest while files are being moved, which is too short to be met by chance.
      if (kill % 2 === 0) await later(chance() * MOST_LIFE_MS)
      else {
        await journal(root)
        await later(chance() * MOVES_MS)
      }
      child.kill('SIGKILL')
      await once(child, 'exit')
      if (isUnfinished(root)) unfinished++
      expect(finishPublication(root, Date.now())).toBeNull()
      for (const { path, sha256 } of await filesAt(root))
        expect(sha256Of(readFileSync(join(root, path))), path).toBe(sha256)
    }
  }
  try {
    await Promise.race([kills(KILLS), Promise.all(readers)])
  } finally {
    over.abort()
    for (const child of begun) child.kill('SIGKILL')
    await Promise.allSettled(readers)
    await dispatcher.close()
    await server.close()
  }

  expect(unfinished).toBeGreaterThan(0)
  expect(answers).toBeGreaterThan(KILLS)
  const { rows } = Series.parse(JSON.parse(file('mkt/history/bitcoin/days=30.json')))
  const first = Date.parse('2026-11-20T12:00:00Z')
  // Every bucket since the first run has its point: no build that was published lost one.
  const buckets = Math.floor(publishedAt() / (4 * HOUR)) - Math.floor(first / (4 * HOUR)) + 1
  expect(publishedAt()).toBeGreaterThan(NOON)
  expect(rows).toHaveLength(Math.min(buckets, 180))
})
