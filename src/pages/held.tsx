import type { Asset, QuarantineRow } from '../client/answers.ts'
import { UNKNOWN, amount, count, day, money, price, shortened, words } from './format.ts'
import { Time } from './figures.tsx'

const NAMES: Readonly<Partial<Record<QuarantineRow['field'], string>>> = {
  price_usd: 'price',
  market_cap_usd: 'market cap',
  market_cap_rank: 'rank',
  matches: 'markets',
  contracts: 'contract',
}

/** `circulating_supply` -> `circulating supply`, `price_usd` -> `price`. */
export const figureName = (field: QuarantineRow['field']): string => NAMES[field] ?? words(field)

/** A value that is held back, or published instead. */
export function heldText(field: QuarantineRow['field'], value: QuarantineRow['held_value']): string {
  if (value === null) return UNKNOWN
  if (typeof value === 'string') return value.replace(/\S{20,}/, shortened)
  if (field === 'price_usd') return price(value)
  if (field === 'market_cap_usd') return money(value)
  return field === 'market_cap_rank' ? count(value) : amount(value)
}

/** A sentence about each figure of an asset that is held back: why, since when, and what would release it. */
export const HeldFigures = ({ held }: Pick<Asset, 'held'>) => (
  <>
    {held.map(({ field, held_value, offered_value, reason, since, releases_at, release }) => (
      <p class="notice">
        Held back since {day(since)}: the {figureName(field)} of {heldText(field, offered_value)}.{' '}
        {held_value === null ? 'No value' : heldText(field, held_value)} is published instead. {reason} Released by:{' '}
        {release}
        {releases_at !== null && (
          <>
            {' '}
            At the latest: <Time at={releases_at} />.
          </>
        )}
      </p>
    ))}
  </>
)
