import { readFileSync } from 'node:fs'
import { type Valuation, type ValuationOptions, createClient, valuesOf } from '../src/client/client.ts'
import { csv, rowsOfCsv } from '../src/core/contract/csv.ts'
import { statsAt } from '../src/core/tree/reader.ts'
import { isSite } from '../src/core/tree/remote.ts'
import { EXIT, UsageError, declare, oneOf, seeHelp, textOr } from './command.ts'
import { runTime } from './environment.ts'
import { treeReader } from './tree-reader.ts'

const METHODS = ['at', 'open', 'close'] as const satisfies readonly ValuationOptions['method'][]
const COLUMNS = ['asset', 'amount', 'time'] as const
const ADDED = ['vs', 'price', 'value', 'price_time', 'source', 'rate_usd', 'rate_day', 'rate_source', 'gap'] as const

type Row = Readonly<Record<string, string>>

function rowsIn(file: string): readonly Row[] {
  if (file !== '-' && !statsAt(file))
    throw new UsageError(`There is no file ${file}. Name a CSV file, or - for standard input.`)
  const rows = rowsOfCsv(readFileSync(file === '-' ? 0 : file, 'utf8'))
  const missing = COLUMNS.filter((name) => rows?.[0]?.[name] === undefined)
  if (rows === null || missing.length > 0)
    throw new UsageError(`${file} is no CSV with rows and the columns ${COLUMNS.join(', ')}. ${seeHelp('value')}`)
  return rows
}

function fetchFrom(place: string): typeof globalThis.fetch {
  const read = treeReader(place)
  return async (input) => {
    const text = await read(decodeURIComponent(new URL(new Request(input).url).pathname.slice(1)))
    return new Response(text, { status: text === null ? 404 : 200 })
  }
}

/** Returns a row with its value. A day that is not over has a provisional price, of the time of the publication. */
function printed(row: Row, { price, value, basis, gap }: Valuation, vs: string, published: string) {
  const { timestamp, source, rate } = basis ?? {}
  const isOpen = timestamp !== undefined && timestamp > published
  const [price_time, from] = isOpen ? [published, `${source} (provisional)`] : [timestamp, source]
  const own = { vs, price, value, price_time, source: from, gap: gap?.replace(/^NaN /, `"${row['amount']}" `) ?? null }
  return { ...row, ...own, rate_usd: rate?.price_usd, rate_day: rate?.day, rate_source: rate?.source }
}

export const command = declare({
  operands: '<file.csv>',
  options: {
    tree: textOr('dist', 'folder of the tree, or the URL of a site'),
    vs: textOr('usd', 'currency of the values, such as eur or btc'),
    method: textOr('at', 'at: the last price at or before the time, midnight of a date; close or open: of the UTC day'),
  },
  notes: `The file has a header with asset (a slug), amount and time (2024-02-29 or 2024-02-29T12:00:00Z); - is standard input.
The answer is the same rows with price, value, where the price and the rate are from, and gap: why there is no value.
The exit code is ${EXIT.fault} if a row has none.`,
  async run({ tree, vs, method: name }, [file, ...others], output) {
    if (file === undefined || others.length > 0) throw new UsageError(`Name one file. ${seeHelp('value')}`)
    const method = oneOf('method', METHODS, name)
    const rows = rowsIn(file)
    const site = isSite(tree)
    const client = createClient(site ? { mirrors: tree } : { mirrors: 'http://tree', fetch: fetchFrom(tree) })
    const holdings = rows.map(({ asset = '', amount = '', time = '' }) => ({
      slug: asset.trim(),
      amount: amount.trim() === '' ? Number.NaN : Number(amount),
      time: time.trim(),
    }))
    const valuations = await valuesOf(client, holdings, { vs, method, now: runTime })
    const { generatedAt } = (await client.head()).data
    const valued = rows.flatMap((row, at) => {
      const valuation = valuations[at]
      return valuation ? [printed(row, valuation, vs, generatedAt)] : []
    })
    const names = [...new Set([...Object.keys(rows[0] ?? {}), ...ADDED])]
    output.result({ rows: valued }, () => csv(names, valued).replaceAll('\r\n', '\n').trimEnd())
    return valued.some(({ gap }) => gap !== null) ? EXIT.fault : EXIT.done
  },
})
