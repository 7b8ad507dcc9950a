import { expect, it } from 'vitest'
import { published } from '../../src/core/endpoints/table.ts'
import { knownAssets } from '../../src/core/registry/known-assets.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { liveRun } from '../faults/live-run.ts'
import { faultyUpstream } from '../faults/upstream.ts'
import { NOON, newFolder } from '../sample-tree.ts'

it('a run half an hour later asks each source for its quotes, and for nothing else that is still fresh', async () => {
  const root = newFolder()
  const registry = openRegistry()
  const upstream = await faultyUpstream()
  const sources = liveSources({})
  const asked = async (now: number): Promise<string[]> => {
    const paths: string[] = []
    await liveRun(
      upstream,
      {
        root,
        sources,
        registry,
        known: knownAssets(registry),
        now,
        composition: { endpoints: published, attachments: [], tables: () => [] },
      },
      (host, path) => paths.push(`${host}${path.split('?')[0]}`),
    )
    return paths.toSorted()
  }
  try {
    const first = await asked(NOON)
    const second = await asked(NOON + 1_800_000)
    const isOfTokens = (path: string) => /^(api\.dexscreener|api\.geckoterminal|coins\.llama)/.test(path)
    const isProfile = (path: string) => /\/coins\/c[a-z]{2}/.test(path)
    const lists = [...new Set(second)].filter((path) => !isOfTokens(path) && !isProfile(path))
    const slow = sources.flatMap(({ host, slow = [] }) => slow.map(({ path }) => `${host}${path.split('?')[0]}`))
    expect(first).toEqual(expect.arrayContaining(slow))
    expect(lists.filter((path) => slow.includes(path))).toEqual([])
    // One path each: not that of the currencies, which the first run asked for. Bithumb is asked by the names of its markets.
    const quoting = sources.filter(({ type }) => type === 'aggregator' || type === 'exchange')
    const hosts = [...quoting.map(({ host }) => host), 'api.bithumb.com']
    expect(lists.map((path) => path.split('/')[0])).toEqual(hosts.toSorted())
    expect(new Set(first).size).toBeGreaterThan(lists.length + slow.length + 6)
    // A profile that was not given does not keep the others from their turn.
    const profiles = [first, second].map((paths) => paths.filter(isProfile))
    expect(profiles.map(({ length }) => length)).toEqual([12, 12])
    expect(new Set(profiles.flat()).size).toBe(24)
  } finally {
    await upstream.close()
  }
})
