import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { run } from './commands.ts'
import { deepIt } from '../scale.ts'

const guide = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../.github/docs/${name}`, import.meta.url)), 'utf8')
const [, past = ''] = /\n## The archive\n(.*?)\n## /s.exec(guide('operating.md')) ?? []

const live = newFolder()
const packs = newFolder()
/** A command of the guide with its folders in place of those that it names. */
function shown(command: string, folders: Readonly<Record<string, string>>): string[] {
  const [, line = ''] = new RegExp(`^npm run ${command.replace(' ', ' -- ')} (.*)`, 'm').exec(past) ?? []
  return [...command.split(' ').slice(1), ...line.split(' ').map((word) => folders[word] ?? word)]
}

beforeAll(() => copySampleTree(live))

it('verifies a tree after a snapshot and its tables, also where the next snapshot follows', async () => {
  const root = newFolder()
  for (const MKT_NOW of ['2026-11-20T12:00:00Z', '2026-11-20T12:30:00Z']) {
    for (const [command, args] of [
      ['snapshot', ['--sources', 'sample', '--listings', '12', '--out', root]],
      ['publish', ['--tables', '--tree', root]],
      ['verify', ['--tree', root]],
    ] as const) {
      // eslint-disable-next-line no-await-in-loop -- each takes what the one before it wrote
      const { code, stdout, stderr } = await run(command, args, { MKT_NOW })
      expect(code, `${command} at ${MKT_NOW}: ${stdout}${stderr}`).toBe(0)
    }
  }
})

describe('the guides on the past', () => {
  it('adds a snapshot to an archive, and restores what was published at a time', async () => {
    const noon = join(newFolder(), 'noon')
    const added = await run('archive', shown('archive add', { dist: live, 'dist/archive': packs }))
    expect(added.stderr).toBe('')
    expect(added.stdout).toMatch(/archive-2026-11\/2026-11-20T12-00-00Z-[0-9a-f]{16}\.zip with \d+ documents/)
    const restored = await run('archive', shown('archive restore', { 'dist/archive': packs, noon }))
    expect(restored.stderr + restored.stdout).toMatch(/\d+ documents of 2026-11-20T12:00:00Z/)
    for (const path of ['api/mkt.json', 'api/mkt/assets/bitcoin.json', 'api/mkt/assets/limit=10.json'])
      expect(readFileSync(join(noon, path), 'utf8')).toBe(readFileSync(join(live, path), 'utf8'))
  })

  deepIt('asks DuckDB for the closes of one listing, and for what traded on a day', async () => {
    expect((await run('publish', ['--tables', '--tree', live])).stdout).toContain('tables/daily.parquet: ')
    const queries = [...guide('api.md').matchAll(/duckdb -c "(.*)"/g)].map(([, query = '']) => query)
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    // Without the network DuckDB has no extension for http, so it reads the same file from the disk.
    const read = (query: string) => connection.runAndReadAll(query.replaceAll('https://example.org', live))
    const counts = (await Promise.all(queries.map(read))).map((answer) => answer.getRows().length)
    expect(counts).toEqual([expect.toSatisfy((days) => days > 300), expect.toSatisfy((slugs) => slugs > 0)])
    connection.closeSync()
  })
})
