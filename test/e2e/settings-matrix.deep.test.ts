import { expect, it } from 'vitest'
import { probe, siteAt } from '../../src/check/probe.ts'
import { ECOSYSTEM, type Ecosystem } from '../../src/core/contract/product.ts'
import { RIGHTS } from '../../src/core/contract/rights.ts'
import { endpointsOf } from '../../src/core/endpoints/table.ts'
import { compositionOf } from '../../src/exports/table.ts'
import { HOST_BUDGETS } from '../../src/delivery/budgets.ts'
import { listen } from '../../src/service/node.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { type Run, ALL_REQUESTS, LEAN_LISTINGS, NOON, leanRegistry, leanRun, newFolder } from '../sample-tree.ts'
import { verified } from '../check/findings.ts'
import { onDisk } from '../service/world.ts'

interface Settings {
  readonly run?: Partial<Run>
  readonly listings?: number
  readonly isAsked?: (source: string) => boolean
  readonly ecosystem?: Ecosystem
}

const only = (id: string): Settings => ({ isAsked: (source) => source === id })
const off = (id: string): Settings => ({ isAsked: (source) => source !== id })
const requests = (most: number): Settings => ({ run: { history: { perRun: most, perSource: most } } })

/** Settings at their edges. */
const EDGES: Readonly<Record<string, Readonly<Record<string, Settings>>>> = {
  historyRequests: { none: requests(0), one: requests(1) },
  sources: { 'one aggregator': only('sample'), 'one exchange': only('sample-a'), 'all but one': off('sample') },
  listings: { one: { listings: 1 } },
  cadenceMinutes: { least: { run: { cadenceMs: 60_000 } }, most: { run: { cadenceMs: 86_400_000 } } },
  host: { 'one of few files': { run: { budget: HOST_BUDGETS.cloudflare } } },
  compress: { on: { run: { compress: true } } },
  rights: { 'all, by name': { run: { rights: new Set(RIGHTS) } } },
  registry: { 'one asset': { run: { registry: leanRegistry(1) } } },
  ecosystem: { 'its own': { ecosystem: { name: 'grove', title: 'Grove assets' } } },
}

const edges = Object.entries(EDGES).flatMap(([setting, values]) =>
  Object.entries(values).map(([value, given]) => ({ setting, name: `${setting}: ${value}`, given })),
)
const pairs = edges.flatMap((one, place) =>
  edges
    .slice(place + 1)
    .filter(({ setting }) => setting !== one.setting)
    .map((other): readonly [string, Settings] => [
      `${one.name}; ${other.name}`,
      { ...one.given, ...other.given, run: { ...one.given.run, ...other.given.run } },
    ]),
)

it.each([['the defaults', {}] as const, ...pairs])(
  'two runs pass the probe and verify with %s',
  async (_, { run = {}, listings = LEAN_LISTINGS, isAsked = () => true, ecosystem = ECOSYSTEM }) => {
    const root = newFolder()
    const composition = compositionOf(ecosystem)
    const { specs } = endpointsOf(ecosystem)
    const end = NOON + (run.cadenceMs ?? 1_800_000)
    for (const now of [NOON, end]) {
      const sources = sampleSources(now, listings).filter(({ id }) => isAsked(id))
      const report = await leanRun(root, { count: listings, now, composition, sources, history: ALL_REQUESTS, ...run })
      expect(report.outcome).toBe('published')
    }
    const server = await listen(
      onDisk(root, () => performance.now(), { specs }),
      '127.0.0.1',
      0,
    )
    try {
      const { findings } = await probe(siteAt(server.url, fetch), specs, 'full')
      expect(findings).toEqual([])
    } finally {
      await server.close()
    }
    expect((await verified(root, composition)).findings).toEqual([])
  },
)
