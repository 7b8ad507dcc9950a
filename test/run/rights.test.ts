import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { Asset } from '../../src/core/contract/asset.ts'
import { ReferenceRate, SourceRow } from '../../src/core/contract/collector.ts'
import { Market } from '../../src/core/contract/market.ts'
import { RightsRow } from '../../src/core/contract/rights.ts'
import { select } from '../../src/core/sources/selection.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { liveRun } from '../faults/live-run.ts'
import { faultyUpstream } from '../faults/upstream.ts'
import { NOON, newFolder } from '../sample-tree.ts'

it('a tree for open and attribution holds no value of any other source, and says what may be done with it', async () => {
  const root = newFolder()
  const rights = new Set(['open', 'attribution'] as const)
  const { asked, left } = select(liveSources({}), { rights, country: null })
  const upstream = await faultyUpstream()
  try {
    const { outcome } = await liveRun(upstream, { root, sources: asked, now: NOON, rights })
    expect(outcome).toBe('published')
  } finally {
    await upstream.close()
  }

  const json = (file: string): unknown => JSON.parse(readFileSync(join(root, 'api/mkt', file), 'utf8'))
  const named = new Set<string>()
  const pools = new Set<string>()
  const note = (rows: readonly { readonly source_id: string }[]) =>
    rows.forEach(({ source_id }) => named.add(source_id))
  for (const file of readdirSync(join(root, 'api/mkt/assets')).filter((name) => /^[a-z0-9-]+\.json$/.test(name))) {
    const { asset } = z.object({ asset: Asset }).parse(json(`assets/${file}`))
    note([...asset.price_basis.sources, ...asset.price_basis.excluded, ...asset.change_basis.sources])
    for (const id of Object.keys(asset.told_by)) named.add(id)
    const { rows } = z.object({ rows: z.array(Market) }).parse(json(`assets/${file.replace('.json', '/markets.json')}`))
    for (const { exchange_id, exchange_type, source_label } of rows) {
      // A pool is told by the source in its label.
      if (exchange_type === 'dex') pools.add(exchange_id)
      named.add(exchange_type === 'dex' ? source_label : exchange_id)
    }
  }
  const collector = z
    .object({ rows: z.array(SourceRow), referenceRates: z.array(ReferenceRate) })
    .parse(json('collector.json'))
  note(collector.rows)
  note(collector.referenceRates.flatMap(({ inputs }) => inputs))
  const allowed = new Set(['registry', ...asked.flatMap(({ id, label }) => [id, label])])
  expect([...named].filter((id) => !allowed.has(id) && !pools.has(id))).toEqual([])
  expect([...named]).toContain('coingecko')

  const { rows, narrowest } = z.object({ rows: z.array(RightsRow), narrowest: z.string() }).parse(json('rights.json'))
  expect(narrowest).toBe('attribution')
  expect(rows.map(({ source_id }) => source_id)).toEqual(asked.map(({ id }) => id))
  expect(collector.rows.map((row) => row.rights)).toEqual(asked.map((source) => source.rights))
  expect(left.every(({ reason }) => reason.startsWith('its rights are '))).toBe(true)
})
