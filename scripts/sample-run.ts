import { BUILT_IN } from '../src/exports/table.ts'
import { ECOSYSTEM, PRODUCT } from '../src/core/contract/product.ts'
import { openRegistry } from '../src/core/registry/registry.ts'
import { CADENCE_MS, type Inputs, type Limits, type Ports } from '../src/core/run/run.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/core/sources/sample/sample.ts'

/** The publisher of a tree without settings of its own, and without pages. */
export const PLAIN_SITE = {
  product: PRODUCT,
  ecosystem: ECOSYSTEM,
  address: null,
  brand: { logo: null, colours: {}, currencies: null },
  names: false,
  pages: false,
}

/** A run of the sample into a folder, without a network and with all of its past prices: inputs, ports and limits at once. */
export const sampleRun = (root: string, now: number, count: number): Inputs & Ports & Limits => ({
  root,
  kind: 'sample',
  site: { ...PLAIN_SITE, program: 'bench' },
  composition: BUILT_IN,
  sources: sampleSources(now, count),
  registry: openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS }),
  now,
  cadenceMs: CADENCE_MS,
  wallNow: Date.now(),
  elapsed: () => performance.now(),
  signal: new AbortController().signal,
  connect: () => ({
    stats: { requests: 0, retries: 0, bytes: 0 },
    json: () => Promise.reject(new Error('the sample needs no network')),
    close: async () => {},
  }),
  listings: count,
  history: { perRun: 1_000_000, perSource: 1_000_000 },
  fresh: false,
})
