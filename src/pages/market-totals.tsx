import type { Global } from '../client/answers.ts'
import { count, counted, percent } from './format.ts'
import { Change, Money, Time } from './figures.tsx'

/** Number of assets whose dominance is shown. */
const LARGEST = 2

/** The line of totals above the market table. */
export function Totals({ global, generatedAt }: { readonly global: Global; readonly generatedAt: string }) {
  const { listings, venues, market_cap_usd, volume_24h_usd, percent_change_24h: moved, dominance } = global
  const largest = dominance.slice(0, LARGEST).map(({ symbol, percent: part }) => `${symbol} ${percent(part)}`)
  return (
    <p class="totals">
      <span>
        Market cap{' '}
        <b>
          <Money usd={market_cap_usd} />
        </b>{' '}
        {moved !== null && <Change percent={moved} />}
      </span>
      <span>
        Volume 24 h{' '}
        <b>
          <Money usd={volume_24h_usd} />
        </b>
      </span>
      {largest.length > 0 && (
        <span>
          Dominance <b>{largest.join(', ')}</b>
        </span>
      )}
      <span>
        <b>{count(listings)}</b> listings, <b>{counted(venues, 'venue')}</b>
      </span>
      <span>
        Updated <Time at={generatedAt} />
      </span>
    </p>
  )
}
