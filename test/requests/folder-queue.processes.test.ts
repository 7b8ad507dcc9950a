import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { compiled } from '../compiled.ts'
import { newFolder } from '../sample-tree.ts'

const programs = await compiled('queue-writer', [fileURLToPath(new URL('queue-writer.ts', import.meta.url))])

const writer = (folder: string, first: number): ChildProcess =>
  spawn(process.execPath, [join(programs, 'queue-writer.cjs'), folder, String(first), '50'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** What a writer called safe, until it ended; `onFirst` runs at the first. */
function safeOf(child: ChildProcess, onFirst: () => void = () => {}): Promise<string[]> {
  let text = ''
  child.stdout?.once('data', onFirst)
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  // The last line may be half a name when the process was killed.
  return new Promise((resolve) => child.once('close', () => resolve(text.split('\n').slice(0, -1))))
}

it('loses nothing it called safe when four processes write two hundred requests and one is killed', async () => {
  const folder = newFolder()
  const killed = writer(folder, 0)
  // The second and the third write the same requests.
  const others = [100, 100, 150].map((first) => writer(folder, first))
  const safe = await Promise.all([
    safeOf(killed, () => killed.kill('SIGKILL')),
    ...others.map((child) => safeOf(child)),
  ])
  const names = new Set(safe.flat())
  expect(names.size).toBeGreaterThan(100)

  const reported: unknown[] = []
  const kept = (await openFolderQueue(folder, (error) => reported.push(error)).list()).map(
    ({ request_id }) => request_id,
  )
  expect(kept).toEqual(expect.arrayContaining([...names]))
  expect(new Set(kept).size).toBe(kept.length)
  expect(reported).toEqual([])
})
