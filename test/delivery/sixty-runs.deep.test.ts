import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { openPast } from '../../src/delivery/read-archive.ts'
import { keptTimes } from '../../src/delivery/retention.ts'
import { snapshotDocuments } from '../../src/delivery/snapshot-documents.ts'
import { createClient } from '../../src/client/client.ts'
import { Tree } from '../../src/tree/tree.ts'
import { ownHost } from '../client/hosts.ts'
import { start } from '../e2e/commands.ts'
import { ALL_REQUESTS, NOON, leanRun, newFolder, sharedSampleTree } from '../sample-tree.ts'

const HALF_HOUR = 1_800_000
const RUNS = 60
/** Short, so that 60 half hours are thinned to hours and to a day. */
const RETENTION = { halfHourlyDays: 0.25, hourlyDays: 0.6 }

/** A generator of numbers from 0 to 1, the same in every run (Park and Miller). */
function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** Starts the command that adds a snapshot, and kills it after some time. */
async function killedAdd(tree: string, archive: string, afterMs: number): Promise<void> {
  const options = ['--half-hourly-days', '2', '--hourly-days', '60']
  const child = start('archive', ['add', '--tree', tree, '--to', archive, ...options])
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await once(child, 'exit')
  clearTimeout(timer)
}

it('gives back 100 documents of 60 runs as they were, thinned, after ten kills of its writer', async () => {
  const [archive, root] = [newFolder(), newFolder()]
  const store = folderStore(archive, Date.now)
  const random = seeded(7)
  const runs = new Map<number, ReadonlyMap<string, string>>()
  for (let run = 0; run < RUNS; run++) {
    const at = NOON + run * HALF_HOUR
    // One run in twenty fails.
    if (run % 20 === 19) continue
    await leanRun(root, { now: at, history: ALL_REQUESTS })
    const tree = new Tree(root)
    const isKept = (file: string) =>
      /^api\/.*\.json$/.test(file) && !/\/(history|candles|closes|daily|rates\/years|manifest)[/.]/.test(file)
    const files = ['api/mkt.json', 'api/mkt/collector.json', ...tree.files.filter(isKept)]
    runs.set(at, new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])))
    if (run % 6 === 4) await killedAdd(root, archive, 400 + random() * 1200)
    await addSnapshot(store, snapshotDocuments(tree), RETENTION)
  }
  const times = [...runs.keys()]
  const kept = [...keptTimes(times, RETENTION)]
  expect(kept.length).toBeLessThan(times.length / 2)
  for (let pair = 0; pair < 100; pair++) {
    const at = NOON + Math.floor(random() * RUNS * HALF_HOUR)
    const expected = Math.max(...kept.filter((time) => time <= at))
    if (expected === -Infinity) {
      await expect(openPast(store, at)).rejects.toThrow('there is no snapshot until')
      continue
    }
    const texts = [...(runs.get(expected) ?? [])]
    const [path = '', text = ''] = texts[Math.floor(random() * texts.length)] ?? []
    const snapshot = await openPast(store, at)
    expect(Date.parse(snapshot.snapshot.time)).toBe(expected)
    expect(await snapshot.read(path), `${path} at ${at}`).toBe(text)
  }
})

it('keeps 1,252 listings in 2.0 MB, of which one asset takes three requests and 80 KB', async () => {
  const [site, tree] = [newFolder(), await sharedSampleTree(1252)]
  const store = folderStore(join(site, 'archive'), Date.now)
  const { snapshot } = await addSnapshot(store, snapshotDocuments(new Tree(tree)), RETENTION)
  expect(snapshot.bytes).toBeLessThanOrEqual(2_000_000)
  const host = await ownHost(site, NOON)
  const asked: number[] = []
  const fetch: typeof globalThis.fetch = async (...request) => {
    const answer = await globalThis.fetch(...request)
    asked.push((await answer.clone().arrayBuffer()).byteLength)
    return answer
  }
  try {
    const slugs = ['bitcoin', 'ethereum', 'tether', 'zoid-pay', '1inch']
    for (const slug of slugs) {
      const { data } = await createClient({ mirrors: host.url, fetch }).at(NOON).asset(slug)
      expect(data).toEqual(JSON.parse(readFileSync(join(tree, `api/mkt/assets/${slug}.json`), 'utf8')))
      expect(asked.length).toBeLessThanOrEqual(3)
      expect(asked.splice(0).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(80_000)
    }
  } finally {
    await host.close()
  }
})
