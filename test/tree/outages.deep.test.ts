import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Place, placeAt } from '../../src/tree/remote.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { RestoreError } from '../../src/tree/tree-error.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

// OUTAGE_RUNS=8760 OUTAGE_SEED=7 npx vitest run test/tree/outages.deep.test.ts
const RUNS = Number(process.env['OUTAGE_RUNS'] ?? 120)
const SEED = Number(process.env['OUTAGE_SEED'] ?? 1)
const HALF_HOUR = 1_800_000
const OPTIONS = { timeoutMs: 30_000, attempts: 1, pause: async () => {} }

/** Numbers of 0 to 1 from a seed (mulberry32, Tommy Ettinger, public domain). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

const answering = (status: number): Place => ({
  name: 'https://site.example',
  ask: async () => ({ reason: 'absent', why: `answers ${status}`, status }),
  read: async () => null,
  pause: OPTIONS.pause,
})

const listingsAt = (run: number): number => 4 + Math.floor(run / 40)
const textsIn = (root: string) =>
  new Map(
    filesBelow(root, '')
      .filter((file) => !file.startsWith('state/'))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )

it(
  'loses nothing of history through outages of the cache and the site: the tree is that of a direct pass',
  async () => {
    const chance = random(SEED)
    const [straight, site, cache] = [newFolder(), newFolder(), newFolder()]
    const did = { published: 0, refused: 0 }
    for (let run = 0; run < RUNS; run++) {
      const given = { count: listingsAt(run), now: NOON + run * HALF_HOUR, checkpoint: true }
      const out = newFolder()
      const isCached = chance() > 0.3 && existsSync(join(cache, 'state'))
      if (isCached) cpSync(join(cache, 'state'), join(out, 'state'), { recursive: true })
      const isServed = chance() > 0.3
      const there = isServed ? placeAt(site, OPTIONS) : answering(chance() > 0.5 ? 403 : 404)
      if (run > 0 && !isCached && !isServed) {
        await expect(sampleRun(out, { ...given, from: [there] })).rejects.toBeInstanceOf(RestoreError)
        did.refused++
      } else {
        await sampleRun(out, { ...given, from: run === 0 ? [] : [there] })
        await sampleRun(straight, given)
        for (const place of [site, cache]) {
          rmSync(place, { recursive: true })
          cpSync(out, place, { recursive: true, preserveTimestamps: true })
        }
        did.published++
      }
      rmSync(out, { recursive: true })
    }
    expect(did.refused).toBeGreaterThan(0)
    expect(textsIn(site)).toEqual(textsIn(straight))
  },
  60 * 60_000,
)
