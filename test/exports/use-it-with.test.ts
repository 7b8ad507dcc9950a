import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, listen } from '../../src/service/node.ts'
import { run as command } from '../e2e/commands.ts'
import { duckdb, hasTools } from '../tools.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { has } from '../service/running.ts'
import { onDisk } from '../service/world.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(project, '.github/docs/use-it-with.md'), 'utf8')
const HOST = 'http://127.0.0.1:8787'
const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
)

const [root, folder] = [newFolder(), newFolder()]
const price = () => JSON.parse(readFileSync(join(root, 'api/mkt/prices.json'), 'utf8')).prices.bitcoin
let server: Listening

beforeAll(async () => {
  await copySampleTree(root)
  const now = Date.parse(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8')).generatedAt)
  server = await listen(
    onDisk(root, () => now),
    '127.0.0.1',
    0,
  )
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => server.close())

/** The code of a recipe, with the address of the server under test. */
function codeOf(name: string): string {
  const [, code] = /```\w*\n(.*?)```/s.exec(sections.get(name) ?? '') ?? []
  if (code === undefined) throw new Error(`the page has no recipe for ${name}`)
  return code.replaceAll(HOST, server.url)
}

async function printed(name: string, program: string, file: string): Promise<string> {
  writeFileSync(join(folder, file), codeOf(name))
  return (await run(program, [file], { cwd: folder })).stdout
}

const numbersIn = (text: string): number[] => (text.replaceAll(',', '').match(/\d+(?:\.\d+)?/g) ?? []).map(Number)

/** Runs the lines of a recipe that values amounts, and those of programs that are there. Returns what reads the lines of a file. */
async function valued(name: string): Promise<(file: string) => string[]> {
  for (const line of codeOf(name).trim().split('\n')) {
    const [, file, options = '', into = ''] = /^npx quotetree value (\S+) (.*) > (\S+)/.exec(line) ?? []
    if (file === undefined) {
      if (has(line.split(' ')[0] ?? '')) await run('sh', ['-c', line], { cwd: folder })
      continue
    }
    const { stdout, stderr, code } = await command('value', [join(folder, file), ...options.split(' ')])
    expect([stderr, code]).toEqual(['', 0])
    writeFileSync(join(folder, into), stdout)
  }
  return (file) => readFileSync(join(folder, file), 'utf8').trim().split('\n')
}

const hasModule = (name: string): boolean => spawnSync('python3', ['-c', `import ${name}`]).status === 0

describe('runs with', () => {
  it.each(["CoinGecko's SDK for TypeScript", 'exchange-api'])('%s', async (name) => {
    const [found = 0] = numbersIn(await printed(name, process.execPath, 'recipe.mjs'))
    expect(found / price()).toBeCloseTo(1, 4)
  })

  it.skipIf(!hasModule('pycoingecko'))('pycoingecko', async () => {
    expect(numbersIn(await printed('pycoingecko', 'python3', 'gecko.py'))).toContain(price())
  })

  it.skipIf(!hasModule('pandas'))('pandas', async () => {
    expect(numbersIn(await printed('pandas', 'python3', 'table.py'))).toContain(price())
  })

  it.skipIf(!has('hledger'))('hledger', async () => {
    const [value = 0] = numbersIn(await printed('hledger', 'sh', 'hledger.sh'))
    expect(value / price()).toBeCloseTo(0.5, 2)
  })

  it.skipIf(!has('bean-query'))('beancount', async () => {
    const found = numbersIn(await printed('beancount', 'sh', 'beancount.sh'))
    expect(found.some((value) => Math.abs(value / price() - 0.5) < 0.01)).toBe(true)
  })

  it.skipIf(!has('promtool'))('Prometheus', async () => {
    expect(await printed('Prometheus', 'sh', 'metrics.sh')).not.toMatch(/error/i)
  })

  // The file, since DuckDB would have to download what reads addresses.
  it('Tax programs and bookkeeping', async () => {
    const read = await valued('Tax programs and bookkeeping')
    const [, price] = read('valued.csv')[1]?.split(',').slice(3) ?? []
    expect(Number(price)).toBeGreaterThan(0)
    expect(read('past.journal')[0]).toBe(`P 2026-01-15 "bitcoin" ${price} EUR`)
    expect(read('past.beancount')[0]).toBe(`2026-01-15 price BITCOIN ${price} EUR`)
    expect(read('past.journal')).toHaveLength(2)
  })

  it('BittyTax', async () => {
    const read = await valued('BittyTax')
    const values = read('income-valued.csv').map((line) => line.split(',')[7])
    expect(values.slice(1).every((value) => Number(value) > 0)).toBe(true)
    // As its README has them: the thirteen fields of a record in their order, and a time with its zone.
    const [head, ...records] = read('bittytax.csv').map((line) => line.split(','))
    expect(head).toHaveLength(13)
    expect(records).toEqual([
      ['Staking', '0.5', 'BTC', values[1], ...Array(7).fill(''), '2026-01-15T09:30:00 UTC', 'rate of 2026-01-15'],
      ['Income', '2', 'ETH', values[2], ...Array(7).fill(''), '2026-03-29T12:00:00 UTC', 'rate of 2026-03-27'],
    ])
  })

  it.skipIf(!hasTools)('DuckDB', async () => {
    const { DuckDBInstance } = await duckdb()
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    const rows = await connection.runAndReadAll(codeOf('DuckDB').replace(server.url, root))
    expect(rows.getRows()[0]).toEqual(['BTC', price()])
    const views = readFileSync(join(root, 'tables/views.sql'), 'utf8').replaceAll("'tables/", `'${root}/tables/`)
    await connection.runAndReadAll(views)
    const days = await connection.runAndReadAll("SELECT count(*) > 0 FROM daily WHERE slug = 'bitcoin'")
    expect(days.getRows()).toEqual([[true]])
    const guide = readFileSync(join(project, '.github/docs/api.md'), 'utf8').replaceAll('https://example.org', root)
    const queries = [...guide.matchAll(/duckdb -c "(.*)"/g)].map(([, query = '']) => connection.runAndReadAll(query))
    const counts = (await Promise.all(queries)).map((answer) => answer.getRows().length)
    expect(counts).toEqual([expect.toSatisfy((closes) => closes > 300), expect.toSatisfy((traded) => traded > 0)])
    connection.closeSync()
    instance.closeSync()
  })

  it.skipIf(!has('ssconvert'))('a spreadsheet program', async () => {
    await run('ssconvert', [join(root, 'api/mkt/prices.csv'), 'prices.xlsx'], { cwd: folder })
    await run('ssconvert', ['prices.xlsx', 'again.csv'], { cwd: folder })
    const [head, first = ''] = readFileSync(join(folder, 'again.csv'), 'utf8').split('\n')
    expect(head).toMatch(/^slug,symbol,name,price_usd/)
    expect(numbersIn(first).some((value) => Math.abs(value - price()) < 0.01)).toBe(true)
  })
})

/** The value at a path such as `$.rows[*].price_usd`: that of the last row. */
const valueAt = (json: unknown, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce((at: unknown, name) => {
      const member: unknown = typeof at === 'object' && at !== null ? Reflect.get(at, name.replace('[*]', '')) : null
      return Array.isArray(member) ? member.at(-1) : member
    }, json)

describe('has the address and the path for', () => {
  it.each([
    ['Ghostfolio', /\$\.asset\.price_usd/],
    ['Portfolio Performance', /\$\.rows\[\*\]\.price_usd/],
    ['Home Assistant', /value_json\.asset\.price_usd/],
    ['LNbits', /\$\.\{TO\}/],
  ])('%s', async (name, path) => {
    const text = (sections.get(name) ?? '').replaceAll('{TO}', 'USD')
    const [stated = ''] = new RegExp(path.source.replace(String.raw`\{TO\}`, 'USD')).exec(text) ?? []
    const [address = ''] = /http:[^\s"`]+/.exec(text) ?? []
    const answer: unknown = await (await fetch(address.replace(HOST, server.url))).json()
    expect(Number(valueAt(answer, stated)) / price()).toBeCloseTo(1, 1)
  })

  it('Grafana Infinity', async () => {
    const [address = ''] = /http:[^\s"`]+/.exec(sections.get('Grafana Infinity') ?? '') ?? []
    const { rows } = await (await fetch(address.replace(HOST, server.url))).json()
    expect(rows.at(-1)).toMatchObject({ timestamp: expect.stringMatching(/Z$/), price_usd: expect.any(Number) })
  })

  it('formulas of spreadsheets', async () => {
    const addresses = [...(sections.get('Google Sheets and Excel') ?? '').matchAll(/"(http:[^"]+)"/g)]
    const texts = await Promise.all(
      addresses.map(async ([, address = '']) => (await fetch(address.replace(HOST, server.url))).text()),
    )
    expect(texts.slice(0, 2).map(Number)).toEqual([price(), price()])
    expect(texts[2]).toMatch(/^slug,symbol/)
  })
})
