import { EXCHANGE_LISTINGS } from './exchange-listings.ts'
import { median } from './statistics.ts'

/** A venue's price of a symbol, and whether its own list identifies the symbol as another asset. */
interface VenuePrice {
  readonly price: number
  readonly isAnother: boolean
}

const apart = (a: number, b: number): number => Math.abs(Math.log(a / b))

/**
 * Whether venues agree that a symbol is one asset, though none of their lists needs to say so: enough are close to
 * their median, none is far from it, and no venue that trades another asset under the symbol has the same price.
 */
export function areCorroborated(venues: readonly VenuePrice[]): boolean {
  const own = venues.filter(({ isAnother }) => !isAnother).map(({ price }) => price)
  if (own.length < EXCHANGE_LISTINGS.venues) return false
  const center = median(own)
  const within = (percent: number) => (price: number) => apart(price, center) <= Math.log(1 + percent / 100)
  return (
    own.filter(within(EXCHANGE_LISTINGS.agreement_percent)).length >= EXCHANGE_LISTINGS.venues &&
    own.every(within(EXCHANGE_LISTINGS.tolerance_percent)) &&
    !venues.some(({ price, isAnother }) => isAnother && within(EXCHANGE_LISTINGS.tolerance_percent)(price))
  )
}
