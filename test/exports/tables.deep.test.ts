import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TABLES_FILE, tablesIn } from '../../src/contract/tables.ts'
import { ownHost } from '../client/hosts.ts'
import { NOON, newFolder, sharedSampleTree } from '../sample-tree.ts'
import { rowsOn } from './parquet-read.ts'

const writer = fileURLToPath(new URL('table-writer.ts', import.meta.url))

it('are written for 1,252 listings in 5 s of CPU and 300 MB, and give one year with three requests and 130 KB', async () => {
  const root = newFolder()
  cpSync(await sharedSampleTree(1252), root, { recursive: true })
  const child = fork(writer, [root], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [used] = await once(child, 'message')
  expect(used).toEqual({ cpuSeconds: expect.any(Number), peakMiB: expect.any(Number) })
  expect(used.cpuSeconds).toBeLessThanOrEqual(5)
  expect(used.peakMiB).toBeLessThanOrEqual(300)

  const { rows } = tablesIn(readFileSync(join(root, TABLES_FILE), 'utf8'))
  const daily = rows.find(({ table }) => table === 'daily')
  if (!daily) throw new Error('there is no daily table')
  const host = await ownHost(root, NOON)
  const asked: number[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init)
    asked.push((await answer.clone().arrayBuffer()).byteLength)
    return answer
  }
  try {
    const year = await rowsOn(
      `${host.url}/${daily.path}`,
      daily,
      { slug: 'bitcoin', columns: ['slug', 'day', 'close_usd'] },
      fetch,
    )
    expect(year.length).toBeGreaterThan(350)
    console.log(
      `${asked.length} requests, ${asked.reduce((sum, bytes) => sum + bytes, 0)} bytes of ${daily.bytes}`,
      used,
    )
    expect(asked.length).toBeLessThanOrEqual(3)
    expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(130_000)
  } finally {
    await host.close()
  }
})
