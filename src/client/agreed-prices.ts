import { byKey } from '../contract/order.ts'
import type { PricesAnswer } from './answers.ts'
import type { Result } from './call.ts'
import { ClientError, MirrorError } from './errors.ts'

/** Largest difference between publishers that still agree, in basis points. */
const TOLERANCE_BP = 20

/** Options of {@link AgreedPricesOf}. */
export interface QuorumOptions {
  /** Number of publishers that must agree on a price. */
  readonly quorum: number
  /** Largest distance from the median in basis points, 20 by default. */
  readonly toleranceBp?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Prices on which independent publishers agree. */
export interface AgreedPrices {
  /** Median in US dollars by slug, where at least `quorum` publishers agree. */
  readonly prices: Readonly<Record<string, number>>
  /** Who agrees with it, by slug. */
  readonly agreed: Readonly<Record<string, readonly string[]>>
  /** Slugs whose prices too few agree on, with who deviates or is alone. */
  readonly disputed: Readonly<Record<string, readonly string[]>>
  /** Publishers that did not answer with fresh prices, with the reason. */
  readonly failures: Readonly<Record<string, unknown>>
}

/** Reads the prices of every mirror, each an independent publisher, and returns those that a quorum agrees on. */
export type AgreedPricesOf = (options: QuorumOptions) => Promise<AgreedPrices>

/** Thrown if fewer publishers answer with fresh prices than must agree. */
export class QuorumError extends ClientError {
  override readonly name = 'QuorumError'
  readonly failures: Readonly<Record<string, unknown>>

  constructor(message: string, failures: Readonly<Record<string, unknown>>) {
    super(message)
    this.failures = failures
  }
}

/**
 * Returns the median of the prices that publishers give, and who is within the tolerance of it. Two that differ tell nothing
 * about which is wrong, so neither agrees.
 */
export function agreementOf(
  prices: readonly (readonly [publisher: string, price: number])[],
  toleranceBp: number,
): { readonly median: number; readonly agreed: readonly string[] } {
  const inOrder = prices.map(([, price]) => price).toSorted((a, b) => a - b)
  const [low = Number.NaN, high = low] = [inOrder[(inOrder.length - 1) >> 1], inOrder[inOrder.length >> 1]]
  const median = (low + high) / 2
  // The median of two lies between them, so each is only half their difference away.
  const times = inOrder.length === 2 ? 2 : 1
  const agrees = (price: number) => Math.abs(price / median - 1) * 10_000 * times <= toleranceBp
  return { median, agreed: prices.flatMap(([publisher, price]) => (agrees(price) ? [publisher] : [])) }
}

type Read = (options: { readonly signal?: AbortSignal | undefined }) => Promise<Result<PricesAnswer>>

/** Returns the function that compares publishers, each read by its own function. */
export const agreedPricesOf =
  (publishers: ReadonlyMap<string, Read>): AgreedPricesOf =>
  async ({ quorum, toleranceBp = TOLERANCE_BP, signal }) => {
    const failures: Record<string, unknown> = {}
    const bySlug = new Map<string, [string, number][]>()
    let answered = 0
    await Promise.all(
      [...publishers].map(async ([publisher, read]) => {
        try {
          const { data, stale, staleAfter, failure } = await read({ signal })
          if (stale) throw failure ?? new MirrorError(publisher, 'stale', `stale since ${staleAfter}`)
          answered++
          for (const [slug, price] of Object.entries(data.prices))
            // A host may state something else in its place, whose order is none.
            if (Number.isFinite(price)) bySlug.set(slug, [...(bySlug.get(slug) ?? []), [publisher, price]])
        } catch (error) {
          signal?.throwIfAborted()
          failures[publisher] = error
        }
      }),
    )
    if (answered < quorum) throw new QuorumError(`${answered} of ${quorum} publishers answered`, failures)
    const prices: Record<string, number> = {}
    const agreed: Record<string, readonly string[]> = {}
    const disputed: Record<string, readonly string[]> = {}
    for (const [slug, own] of bySlug) {
      const agreement = agreementOf(own.toSorted(byKey), toleranceBp)
      if (agreement.agreed.length >= quorum) {
        prices[slug] = agreement.median
        agreed[slug] = agreement.agreed
      } else disputed[slug] = own.map(([publisher]) => publisher).toSorted()
    }
    return { prices, agreed, disputed, failures }
  }
