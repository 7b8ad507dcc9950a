import { MAX_IDS } from '../contract/limit-variants.ts'
import { methodsOf } from './conversion.ts'
import { type LiveClient, type Page, priceWatch } from './price-watch.ts'
import { type TransportOptions, mirrorTransport } from './transport.ts'

/** Returns the part of a client that reads the newest snapshot. Embedded in pages of others, it is all that they load. */
export function liveClient(options: TransportOptions): LiveClient {
  const methods = methodsOf(mirrorTransport(options))
  const watch = priceWatch({
    prices: (slugs) => methods.prices(slugs.length > MAX_IDS ? {} : { ids: slugs }),
    // Trees of earlier releases have no head.
    times: () => methods.head().catch(() => methods.index()),
    now: options.now,
    random: Math.random,
    after(ms, call) {
      const timer = setTimeout(() => void call(), ms)
      return () => clearTimeout(timer)
    },
    page: PAGE,
  })
  return { ...methods, watch }
}

const PAGE: Page = {
  isHidden: () => globalThis.document?.visibilityState === 'hidden',
  onShown(call) {
    globalThis.document?.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') call()
    })
  },
}
