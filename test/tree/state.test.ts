import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { STATE_VERSION } from '../../src/core/contract/words.ts'
import { type Place, placeAt } from '../../src/core/tree/remote.ts'
import { NO_STATE, readState } from '../../src/core/tree/state.ts'
import { STATE, type TableList, type TablePart } from '../../src/core/tree/tables.ts'
import { newFolder } from '../sample-tree.ts'
import { tablesOf } from './kept.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const HOUR = 3_600_000

const tables = tablesOf()
const first = tables.run({ now: NOON - 30 * HOUR, assets: [{ slug: 'acme', price_usd: 1 }] })
const second = tables.run({ now: NOON, assets: [{ slug: 'acme', price_usd: 2 }] })
const [part] = second.list.parts.filter(({ table }) => table === 'points')

const put = (root: string, file: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), content)
}
const putList = (root: string, list: object) => put(root, STATE.list, JSON.stringify(list))

function published(list: TableList = second.list): string {
  const root = newFolder()
  for (const { path } of list.parts) put(root, path, tables.files.get(path) ?? '')
  putList(root, list)
  return root
}

const OPTIONS = { timeoutMs: 5000, attempts: 2, pause: async () => {} }
const place = (name: string): Place => placeAt(name, OPTIONS)
const read = (root: string, ...places: readonly string[]) => readState(root, places.map(place), NOON + HOUR)
const without = (root: string, path = '') => {
  rmSync(join(root, path))
  return root
}

describe('a folder', () => {
  it('where nothing was published has no rows', async () => {
    expect(await read(newFolder())).toBe(NO_STATE)
    expect(await read(join(newFolder(), 'none', 'here'))).toBe(NO_STATE)
  })

  it('has the rows of its last run', async () => {
    const { rows, list, fetched, restored } = await read(published())
    expect(rows).toEqual(second.restored)
    expect({ list, fetched: fetched.size, restored }).toEqual({ list: second.list, fetched: 0, restored: null })
  })

  it('with files of others is refused, which a publication might overwrite', async () => {
    const root = newFolder()
    put(root, 'photos/cat.jpg', 'x')
    await expect(read(root)).rejects.toMatchObject({
      reason: 'foreign',
      message: `${root} holds photos/cat.jpg, and no published tree. Choose an empty folder, or the folder of a tree.`,
    })
  })

  it.each([
    ['documents', 'api/mkt.json', '{}'],
    ['parts of tables', part?.path ?? '', 'x'],
    ['a list that cannot be read', STATE.list, '{"stateVersion":'],
  ])('with %s and no tables is refused', async (_, file, content) => {
    const root = newFolder()
    put(root, file, content)
    await expect(read(root)).rejects.toMatchObject({
      reason: 'nothing_restored',
      message: expect.stringMatching(
        /has documents, but not the tables that they are views of\. Nothing was published\..*--from/,
      ),
    })
  })

  it('whose part is damaged or missing is refused, where no place has it', async () => {
    const damaged = published()
    put(damaged, part?.path ?? '', 'x'.repeat(part?.bytes ?? 0))
    for (const root of [damaged, without(published(), part?.path)])
      await expect(read(root)).rejects.toMatchObject({
        reason: 'nothing_restored',
        message: expect.stringContaining(`in ${root}: ${part?.path} is missing or damaged. Run again`),
      })
  })

  it.each([
    ['a later', STATE_VERSION + 1, 'a newer version', 'Update this program'],
    ['an earlier', STATE_VERSION - 1, 'an earlier version', 'Continue it with the commit'],
  ])('of %s version is refused, also where its list has another shape', async (_, stateVersion, age, step) => {
    for (const list of [
      { ...second.list, stateVersion },
      { stateVersion, tables: { wallets: [] } },
    ]) {
      const root = published()
      putList(root, list)
      const refusal = { reason: 'other_state', message: expect.stringMatching(`${age}.*${step}`) }
      await expect(read(root)).rejects.toMatchObject(refusal)
      await expect(read(newFolder(), root)).rejects.toMatchObject(refusal)
    }
  })
})

describe('a part that a folder lacks', () => {
  it('is made up for by a newer publication, where it is nowhere', async () => {
    const lost = first.list.parts.find(({ path }) => !second.list.parts.some((one) => one.path === path))
    const newer = published()
    const { rows, restored } = await read(without(published(first.list), lost?.path), newer)
    expect(rows).toEqual(second.restored)
    expect(restored).toMatchObject({ place: newer, generatedAt: second.list.generatedAt })
  })

  it.each([
    ['missing', null],
    ['cut off', 'half'],
    ['changed by one byte', 'byte'],
  ])('is fetched from the first place that has it, where it is %s', async (_, damage) => {
    const root = published()
    const path = join(root, part?.path ?? '')
    const content = readFileSync(path)
    if (damage === null) rmSync(path)
    else if (damage === 'half') writeFileSync(path, content.subarray(0, content.length / 2))
    else
      writeFileSync(
        path,
        content.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
      )
    const { rows, fetched, restored } = await read(root, without(published(), part?.path), published())
    expect(rows).toEqual(second.restored)
    expect([...fetched]).toEqual([[part?.path, content]])
    expect(restored).toBe(null)
  })

  it('is not taken from a place that has another file of its name', async () => {
    const other = published()
    put(other, part?.path ?? '', 'x'.repeat(part?.bytes ?? 0))
    await expect(read(without(published(), part?.path), other)).rejects.toMatchObject({
      message: expect.stringContaining(
        `${part?.path} is missing or damaged, and ${other} has another file of this name`,
      ),
    })
  })
})

describe('an empty folder', () => {
  const server = createServer(({ url = '' }, response) => {
    const path = url.slice(1)
    const content = path === STATE.list ? JSON.stringify(second.list) : tables.files.get(path)
    response.writeHead(content === undefined ? (path.startsWith('down/') ? 503 : 404) : 200).end(content)
  })
  const site = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address()
      resolve(`http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`)
    })
  })
  afterAll(() => server.close())

  it('gets the newest publication of all places, whatever their order', async () => {
    const [older, newer] = [published(first.list), published()]
    for (const places of [
      [older, newer],
      [newer, older],
    ] as const) {
      const { rows, fetched, restored } = await read(newFolder(), ...places)
      expect(rows).toEqual(second.restored)
      expect(fetched.size).toBe(second.list.parts.length)
      expect(restored).toEqual({ place: newer, generatedAt: second.list.generatedAt, ageMs: HOUR, parts: fetched.size })
    }
  })

  it('gets it from a site', async () => {
    expect((await read(newFolder(), await site)).rows).toEqual(second.restored)
  })

  it('gets an older one that is complete where a part of the newest is nowhere', async () => {
    const own = (one: TablePart) => !first.list.parts.some(({ path }) => path === one.path)
    const newer = without(published(), second.list.parts.find(own)?.path)
    const places = [newer, published(first.list)].map(place)
    const { rows, restored } = await readState(newFolder(), places, NOON - 10 * HOUR)
    expect(rows).toEqual(first.restored)
    expect(restored).toMatchObject({ generatedAt: first.list.generatedAt, ageMs: 20 * HOUR })
  })

  it('keeps what it has downloaded of the parts', async () => {
    const root = newFolder()
    cpSync(join(published(), part?.path ?? ''), join(root, part?.path ?? ''), { recursive: true })
    const { fetched } = await read(root, published())
    expect([...fetched.keys()]).not.toContain(part?.path)
  })

  it('gets nothing that is a day old while another place cannot be read', async () => {
    const down = `${await site}/down`
    const older = published(first.list)
    await expect(read(newFolder(), older, down)).rejects.toMatchObject({
      reason: 'too_old',
      message: expect.stringMatching(/is 31\.0 hours old, and another place may hold a newer one: .*503/),
    })
    expect((await read(newFolder(), older)).rows).toEqual(first.restored)
  })

  it('is refused where no place has anything', async () => {
    const [nothing, unreadable] = [newFolder(), newFolder()]
    put(unreadable, STATE.list, '{}')
    await expect(read(newFolder(), nothing, unreadable)).rejects.toMatchObject({
      reason: 'nothing_restored',
      message:
        `Nothing was restored, and nothing was published. ${nothing}: ${STATE.list} is not there; ${unreadable}: ` +
        `${STATE.list} is no list of tables. Run again when one of these places holds the complete last publication, name ` +
        'another with --from, or start over with --fresh, which deletes all history.',
    })
  })
})
