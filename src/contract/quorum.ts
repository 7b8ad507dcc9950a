/** Largest difference between publishers that still agree, in basis points. */
export const TOLERANCE_BP = 20

/** What several publishers say of one price. */
export interface Agreement {
  /** Median of their prices. */
  readonly median: number
  /** Who is within the tolerance of the median. */
  readonly agreed: readonly string[]
  /** Who is not, and by how much, largest first. */
  readonly deviating: readonly { readonly publisher: string; readonly price: number; readonly bp: number }[]
}

/** Returns the median of the prices that publishers give, and who agrees. Of two, nobody knows who is wrong: both deviate. */
export function agreementOf(
  prices: readonly (readonly [publisher: string, price: number])[],
  toleranceBp: number,
): Agreement {
  const inOrder = prices.map(([, price]) => price).toSorted((a, b) => a - b)
  const [low = Number.NaN, high = low] = [inOrder[(inOrder.length - 1) >> 1], inOrder[inOrder.length >> 1]]
  const median = (low + high) / 2
  // The median of two lies between them, so each is only half their difference away.
  const times = inOrder.length === 2 ? 2 : 1
  const all = prices.map(([publisher, price]) => ({
    publisher,
    price,
    bp: Math.abs(price / median - 1) * 10_000 * times,
  }))
  return {
    median,
    agreed: all.flatMap(({ publisher, bp }) => (bp <= toleranceBp ? [publisher] : [])),
    deviating: all.filter(({ bp }) => bp > toleranceBp).toSorted((a, b) => b.bp - a.bp),
  }
}
