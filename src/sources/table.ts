import { coingecko } from './coingecko.ts'
import { coinpaprika } from './coinpaprika.ts'
import type { Source } from './source.ts'

/** Keys of sources that take one. */
export interface SourceKeys {
  readonly coingecko?: { readonly apiKey: string; readonly plan: 'demo' | 'pro' }
}

/** The live sources. Where two say the same, the first in this list is heard. */
export const liveSources = (keys: SourceKeys): readonly Source[] => [coingecko(keys.coingecko ?? {}), coinpaprika]
