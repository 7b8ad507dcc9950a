import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CheckedFiles, type Verification, VerifyError, verify } from '../../src/check/verify.ts'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { originalOf } from '../../src/core/tree/layout.ts'
import { checkedFiles } from '../../scripts/tree-reader.ts'
import { command } from '../../scripts/verify.ts'
import { run } from '../e2e/commands.ts'
import {
  BUILT_IN,
  NOON,
  NO_REQUESTS,
  ONE_LIMITED_LIST,
  SAMPLE_LISTINGS,
  SITE,
  copyCompressedSampleTree,
  copyTree,
  leanRun,
  newFolder,
  sampleRun,
} from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { errorsIn, verified } from './findings.ts'

const root = newFolder()
let files: CheckedFiles
beforeAll(async () => {
  await copyCompressedSampleTree(root)
  files = checkedFiles(root)
})

type Changed = ReadonlyMap<string, Uint8Array | null>

/** Verifies the tree with other content of some files; null: they are missing. */
const verifiedWith = (changed: Changed, program = SITE.program): Promise<Verification> => {
  const own = files.list?.filter((file) => changed.get(file) !== null) ?? []
  return verify(
    {
      list: [...new Set([...own, ...changed.keys()])],
      bytes: async (file) => (changed.has(file) ? (changed.get(file) ?? null) : files.bytes(file)),
    },
    { compositionOf: async () => BUILT_IN, program, slugs: [] },
  )
}
const found = async (changed: Changed) =>
  (await verifiedWith(changed)).findings.map(({ check, document }) => `${check} ${document}`)

/** A file with one bit changed, in its middle; a precompressed one is cut short, because not every bit of Brotli has a meaning. */
function flipped(file: string): Buffer {
  const content = readFileSync(join(root, file))
  const middle = content.length >> 1
  if (originalOf(file) !== file && !file.endsWith('.jsonl.gz')) return content.subarray(0, middle)
  content[middle] = (content[middle] ?? 0) ^ 1
  return content
}

/** Changes rows of tables, and lists these with their new digests, as somebody does who means harm. */
function forged(...forgeries: readonly (readonly [table: string, from: RegExp, to: string])[]): Changed {
  let list = readFileSync(join(root, 'state/tables.json'), 'utf8')
  const changed = new Map<string, Uint8Array>()
  for (const [table, from, to] of forgeries) {
    const [, path = ''] = new RegExp(`"(state/${table}-[0-9a-z.-]+)"`).exec(list) ?? []
    const before = changed.get(path) ?? readFileSync(join(root, path))
    const text = gunzipSync(before).toString('utf8')
    expect(text).toMatch(from)
    const after = gzipSync(text.replace(from, to))
    list = list.replace(sha256Of(before), sha256Of(after))
    changed.set(path, after)
  }
  return changed.set('state/tables.json', Buffer.from(list))
}

describe('an untouched tree', () => {
  it('follows from its rows to the last byte', async () => {
    const { findings, figures, files: checked, listings, fragility } = await verified(root)
    expect(findings).toEqual([])
    expect(listings).toBeGreaterThan(SAMPLE_LISTINGS)
    expect(figures).toBeGreaterThan(5000)
    expect(checked).toBeGreaterThan(1000)
    expect(fragility.length).toBeGreaterThan(10)
  })

  it('still does after runs that lacked a source, had more listings, and lost a source for good', async () => {
    const [later, count] = [newFolder(), 60]
    await sampleRun(later, { count, history: NO_REQUESTS })
    // Its markets are in coins, whose rates change meanwhile.
    const configured = sampleSources(NOON + 1_800_000, count)
    const sources = configured.filter(({ id }) => id !== 'sample-a')
    for (const [place, given] of [{ sources, configured }, { count: count + 8 }, { sources }].entries()) {
      await sampleRun(later, { count, history: NO_REQUESTS, now: NOON + (place + 1) * 1_800_000, ...given })
      expect(await errorsIn(later)).toEqual([])
    }
  })
})

describe('a tree that asks for a part of the past in each run', () => {
  it.each([
    ['within a day', 1_800_000],
    ['day by day', 86_400_000],
  ])('follows from its rows after each of them, %s', async (_, step) => {
    const growing = newFolder()
    for (const place of [0, 1, 2, 3]) {
      const { historyRequests } = await leanRun(growing, {
        now: NOON + place * step,
        history: { perRun: 12, perSource: 8 },
      })
      expect(historyRequests).toBeGreaterThan(0)
      expect(await errorsIn(growing, ONE_LIMITED_LIST)).toEqual([])
    }
  })
})

describe('names', () => {
  it('every file of which one bit was changed, Parquet and precompressed files among them', async () => {
    const all = files.list?.filter((file) => !/^state\/.*\.jsonl\.gz$|^state\/tables\.json$/.test(file)) ?? []
    const own = all.filter((file, place) => place % scaled(5, 1) === 0 || file.endsWith('.parquet'))
    expect(own.filter((file) => file.endsWith('.parquet')).length).toBeGreaterThan(4)
    // A check names up to a thousand files.
    for (let from = 0; from < own.length; from += 1000) {
      const some = own.slice(from, from + 1000)
      const expected = some.map((file) => `${originalOf(file) === file ? 'documents' : 'others'} ${file}`)
      expect((await found(new Map(some.map((file) => [file, flipped(file)])))).toSorted()).toEqual(expected.toSorted())
    }
  })

  it('every part of the tables of which one bit was changed, and a missing one', async () => {
    const parts = files.list?.filter((file) => file.endsWith('.jsonl.gz')) ?? []
    expect(parts.length).toBeGreaterThan(15)
    const all = await found(new Map(parts.map((file) => [file, flipped(file)])))
    expect(all.toSorted()).toEqual(parts.map((file) => `tables ${file}`).toSorted())
    const [part = ''] = parts
    expect(await found(new Map([[part, null]]))).toEqual([`tables ${part}`])
  })

  it('a missing document, and one that no row lists', async () => {
    const [file, ...mine] = ['api/mkt/history/bitcoin/days=30.json', 'api/mkt/mine.json', 'token/mine.html'] as const
    const changed = new Map([[file, null] as const, ...mine.map((one) => [one, Buffer.from('{}')] as const)])
    expect(await found(changed)).toEqual([`documents ${file}`, ...mine.map((one) => `others ${one}`)])
  })

  it('rows that were forged together with every digest', async () => {
    const findings = await found(
      forged(
        ['listings', /("slug":"ethereum".*?"price_usd":)[\d.]+/, '$11.5'],
        ['listings', /("slug":"solana".*?"market_cap_usd":)[\d.]+/, '$11.5'],
        ['listings', /("slug":"cardano".*?"percent_change_24h":)-?[\d.]+/, '$177.5'],
        ['current_rates', /("symbol":"EUR","price_usd":)[\d.]+/, '$11.5'],
        ['bars-open', /("close_usd":\[)[\d.]+/, '$11.5'],
      ),
    )
    expect(findings).toEqual(
      expect.arrayContaining([
        'figures api/mkt/assets/ethereum.json',
        'figures api/mkt/assets/solana.json',
        'figures api/mkt/assets/cardano.json',
        'figures api/mkt/collector.json',
        expect.stringContaining('bars api/mkt/candles/'),
      ]),
    )
  })

  it('a forged weight, where the rate stays what it was', async () => {
    const findings = await found(forged(['current_rates', /("symbol":"EUR".*?"weight":)[\d.]+/, '$10.5']))
    expect(findings).toContain('figures api/mkt/collector.json')
  })

  it('rows that break their schema', async () => {
    expect(await found(forged(['sources', /"source_id":"/, '"id":"']))).toEqual(['tables state/tables.json'])
  })
})

it('refuses a tree without tables, and one of another version of the program', async () => {
  await expect(verifiedWith(new Map([['state/tables.json', null]]))).rejects.toThrow(VerifyError)
  const list = readFileSync(join(root, 'state/tables.json'), 'utf8')
  const older = Buffer.from(list.replace(/("stateVersion": ?)\d+/, '$11'))
  const earlier = verifiedWith(new Map([['state/tables.json', older]]))
  await expect(earlier).rejects.toThrow(/published by an earlier version of this program: its state has version 1/)
  await expect(verifiedWith(new Map(), '9.9.9')).rejects.toThrow(/was written by version test of this program/)
})

describe('npm run verify', () => {
  /** A tree that the command wrote, and extended: it verifies those of its own version. */
  const own = newFolder()
  beforeAll(async () => {
    for (const now of [NOON, NOON + 1_800_000]) {
      const args = ['--sources', 'sample', '--listings', '12', '--out', own]
      const { code, stderr } = await run('snapshot', args, { MKT_NOW: new Date(now).toISOString() })
      if (code !== 0) throw new Error(stderr)
    }
  })

  it('prints how far one false source moves the prices, and that nothing differs', async () => {
    const { code, stdout } = await run('verify', ['--tree', own])
    expect(stdout).toMatch(
      /^Price moves if [\s\S]*Most fragile[\s\S]*\n\d+ figures and \d+ files of \d+ listings checked, 0 errors, 0 notices; snapshot of \S+\n$/,
    )
    expect(code).toBe(0)
  })

  it('names a document that differs, for a person and for a program, and can be asked about some listings', async () => {
    const tree = newFolder()
    copyTree(own, tree)
    const file = 'api/mkt/assets/ethereum.json'
    const text = readFileSync(join(tree, file), 'utf8')
    writeFileSync(join(tree, file), text.replace(/"price_usd":[\d.]+/, '"price_usd":1'))
    const { code, stdout } = await run('verify', ['ethereum', '--tree', tree])
    expect([code, stdout]).toMatchObject([
      3,
      expect.stringMatching(/^error documents: api\/mkt\/assets\/ethereum\.json/m),
    ])
    const told = await run('verify', ['ethereum', '--json', '--tree', tree])
    expect(JSON.parse(told.stdout)).toMatchObject({ findings: [{ check: 'documents', document: file }] })
    expect(await run('verify', ['bitcoin', '--tree', tree])).toMatchObject({ code: 0 })
  })

  it.each([
    [['nope'], /^The tree has no asset "nope"\. [^\n]+$/],
    [['../../etc/passwd'], /^"\.\.\/\.\.\/etc\/passwd" is not a slug[^\n]+$/],
    [['--tree', '/nowhere'], /^\/nowhere is not a folder [^\n]+$/],
  ])('answers the wrong use %j in a sentence', async (args, sentence) => {
    const tree = args.includes('--tree') ? [] : ['--tree', own]
    await expect(command.execute('verify', [...args, ...tree])).rejects.toThrow(sentence)
  })
})
