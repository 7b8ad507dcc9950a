import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { duckdb } from '../tools.ts'
import { run } from './commands.ts'
import { deepIt } from '../scale.ts'

const guide = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../.github/docs/${name}`, import.meta.url)), 'utf8')
const live = newFolder()
beforeAll(() => copySampleTree(live))

describe('tables', () => {
  it('pass verification after a snapshot, also where the next snapshot follows', async () => {
    const root = newFolder()
    for (const MKT_NOW of ['2026-11-20T12:00:00Z', '2026-11-20T12:30:00Z']) {
      for (const [command, args] of [
        ['snapshot', ['--sources', 'sample', '--listings', '12', '--out', root]],
        ['verify', ['--tree', root]],
      ] as const) {
        // eslint-disable-next-line no-await-in-loop -- each takes what the one before it wrote
        const { code, stdout, stderr } = await run(command, args, { MKT_NOW })
        expect(code, `${command} at ${MKT_NOW}: ${stdout}${stderr}`).toBe(0)
      }
    }
  })

  deepIt('tell DuckDB, as the guide shows, the closes of one listing, and what traded on a day', async () => {
    const queries = [...guide('api.md').matchAll(/duckdb -c "(.*)"/g)].map(([, query = '']) => query)
    const { DuckDBInstance } = await duckdb()
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    // Without the network DuckDB has no extension for http, so it reads the same file from the disk.
    const read = (query: string) => connection.runAndReadAll(query.replaceAll('https://example.org', live))
    const counts = (await Promise.all(queries.map(read))).map((answer) => answer.getRows().length)
    expect(counts).toEqual([expect.toSatisfy((days) => days > 300), expect.toSatisfy((slugs) => slugs > 0)])
    connection.closeSync()
  })
})
