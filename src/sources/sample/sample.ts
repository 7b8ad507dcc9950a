import type { Source } from '../source.ts'
import { sampleAggregator, sampleIndex } from './aggregators.ts'
import { sampleDex } from './dex.ts'
import { sampleExchanges } from './exchanges.ts'
import { sampleReference } from './reference.ts'
import { sampleWorld } from './world.ts'

export const SAMPLE_LISTINGS = 1250

/** The real sources whose ids and symbols the sample's sources use. */
export const SAMPLE_SPELLINGS = {
  sample: 'coingecko',
  'sample-index': 'coingecko',
  'sample-dex': 'coingecko',
  'sample-reference': 'coingecko',
  'sample-a': 'gate',
  'sample-b': 'mexc',
} as const

/**
 * Returns the embedded sources, with real names and contracts, made-up numbers and no network. Their data depends only on
 * the time, in ms since 1970, and a fixed seed.
 */
export function sampleSources(now: number, count: number = SAMPLE_LISTINGS): readonly Source[] {
  const world = sampleWorld(now, count)
  return [
    sampleAggregator(world),
    sampleIndex(world),
    ...sampleExchanges(world),
    sampleDex(world),
    sampleReference(world),
  ]
}
