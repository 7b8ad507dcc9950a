import type { Source } from '../source.ts'
import { sampleAggregator, sampleIndex } from './aggregators.ts'
import { sampleDex } from './dex.ts'
import { sampleExchanges } from './exchanges.ts'
import { sampleWorld } from './world.ts'

/** Listings of the sample unless told. */
export const SAMPLE_LISTINGS = 1250

/** By whose names the sample's sources go. */
export const SAMPLE_SPELLINGS = {
  sample: 'coingecko',
  'sample-index': 'coingecko',
  'sample-dex': 'coingecko',
  'sample-a': 'gate',
  'sample-b': 'mexc',
} as const

/**
 * The embedded sources: real names and contracts, made-up numbers, no network. All of it is a function of the clock, in
 * ms since 1970, and of a fixed seed.
 */
export function sampleSources(now: number, count: number = SAMPLE_LISTINGS): readonly Source[] {
  const world = sampleWorld(now, count)
  return [sampleAggregator(world), sampleIndex(world), ...sampleExchanges(world), sampleDex(world)]
}
