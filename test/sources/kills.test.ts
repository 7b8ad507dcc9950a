import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BundleError, bundlesAt } from '../../src/core/sources/bundle.ts'
import { mergeBundles } from '../../src/core/sources/merge-recordings.ts'
import { randomOf, sampleSources } from '../../src/core/sources/sample/sample.ts'
import { compiled } from '../compiled.ts'
import { NOON, newFolder, NO_REQUESTS } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { observedRun, partition } from './bundles.ts'

/** Each is a process, and each round starts one more. */
const COLLECTORS = scaled(4, 8)
const ROUNDS = scaled(6, 200)

it('leaves whole bundles that count once, whenever its collectors are killed', async () => {
  const programs = await compiled('writing-collector', [
    fileURLToPath(new URL('writing-collector.ts', import.meta.url)),
  ])
  const { bundle } = await observedRun({ history: NO_REQUESTS })
  const ids = bundle.header.sources.map(({ source_id }) => source_id)
  const files = partition(bundle, COLLECTORS, { list: (id) => ids.indexOf(id) % COLLECTORS, past: () => 0 })
  expect(files).toHaveLength(COLLECTORS)
  const [own, shared] = [newFolder(), join(newFolder(), 'bundles')]
  mkdirSync(shared)
  for (const { name, bytes } of files) writeFileSync(join(own, name), bytes)
  const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now: NOON }
  const { rows } = bundle

  const begin = async (index: number): Promise<ChildProcess> => {
    const path = join(own, files[index]?.name ?? '')
    const child = spawn(process.execPath, [join(programs, 'writing-collector.cjs'), shared, path])
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve)
      child.once('error', reject)
    })
    return child
  }
  const killed = (child: ChildProcess) =>
    new Promise((resolve) => {
      child.once('close', resolve)
      child.kill('SIGKILL')
    })
  const random = randomOf(1)
  const running = await Promise.all(files.map((_, index) => begin(index)))
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const index = Math.floor(random() * COLLECTORS)
      const victim = running[index]
      if (victim) await killed(victim)
      const read = bundlesAt([shared])
      expect(read.filter(({ result }) => result instanceof BundleError)).toEqual([])
      const observations = mergeBundles(read, merging)
      // What is there is whole, and each row counts once.
      for (const { source, error } of observations.reports)
        if (error === null) expect(observations.rows.get(source.id)).toEqual(rows.get(source.id))
      running[index] = await begin(index)
    }
  } finally {
    await Promise.all(running.map(killed))
  }
  const { reports } = mergeBundles(bundlesAt([shared]), merging)
  expect(reports.map(({ error }) => error)).toEqual(ids.map(() => null))
  expect(bundlesAt([shared])).toHaveLength(COLLECTORS)
})
