import { NO_REQUESTS } from '../contract/listing-request.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { NO_CLOSES } from '../history/closes.ts'
import { NO_DAILY } from '../history/extended-daily.ts'
import { NO_PAST_RATES } from '../history/past-rates.ts'
import { NO_CANDLES } from '../history/extended-candles.ts'
import { NO_TOTALS } from '../history/extended-totals.ts'
import { sparklineOf } from '../history/sparkline.ts'
import type { World } from './endpoint.ts'

/** Returns the world of a snapshot without series, requests and changes. `seriesOf` throws an Error. */
export const worldWithoutPast = (snapshot: Snapshot): World => ({
  ...snapshot,
  ...NO_CANDLES,
  closes: NO_CLOSES,
  daily: NO_DAILY,
  pastRates: NO_PAST_RATES,
  totals: NO_TOTALS,
  changedSeries: () => new Map(),
  seriesOf: (slug) => {
    throw new Error(`the series of ${slug} are not in this world: they have their own documents`)
  },
  sparklineOf: () => sparklineOf(null),
  withHistory: () => 0,
  runs: [],
  requests: NO_REQUESTS,
  changes: { days: [], events: [], latest: [], rowsOf: () => [], isChanged: () => false },
  provenance: { before: null, inputs: '', commit: null },
  last: () => null,
})
