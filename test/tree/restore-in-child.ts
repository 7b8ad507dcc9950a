/** Restores the checkpoints in folders, each into an empty one, and prints how each ended and the peak of memory in MiB. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastState } from '../../src/tree/restore-newest.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { Tree } from '../../src/tree/tree.ts'

const ends: string[] = []
for (const from of process.argv.slice(2)) {
  const root = mkdtempSync(join(tmpdir(), 'restored-'))
  const place = placeAt(from, { timeoutMs: 60_000, attempts: 1, pause: async () => {} })
  ends.push(await lastState(new Tree(root), [place], Date.now()).then(() => 'restored', String))
  rmSync(root, { recursive: true })
}
console.log(JSON.stringify({ peakMiB: Math.round(process.resourceUsage().maxRSS / 1024), ends }))
