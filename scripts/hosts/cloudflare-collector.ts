import { collectorOf } from '../../src/observations/worker-collector.ts'
import { liveSources } from '../../src/sources/table.ts'

const worker = collectorOf({
  sources: liveSources({}),
  fetch: (...request) => fetch(...request),
  now: Date.now,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms))),
  report: console.error,
})

// oxlint-disable-next-line import/no-default-export -- what a Worker is to its runtime
export { worker as default }
