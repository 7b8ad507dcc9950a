import type { Publisher } from '../../src/core/endpoints/ecosystem.ts'
import { endpointsOf } from '../../src/core/endpoints/table.ts'
import { workerOf } from '../../src/service/worker.ts'

/** Whose API this is; written above the program. */
declare const PUBLISHER: Publisher

const worker = workerOf({
  specs: endpointsOf(PUBLISHER.ecosystem).specs,
  product: PUBLISHER.product,
  now: Date.now,
  report: console.error,
})

// oxlint-disable-next-line import/no-default-export -- what a Worker is to its runtime
export { worker as default }
