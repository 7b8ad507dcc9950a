import type { Publisher } from '../../src/core/endpoints/ecosystem.ts'
import { endpointsOf } from '../../src/core/endpoints/table.ts'
import { startWorkflow, workerOf } from '../../src/service/worker.ts'

/** Whose API this is; written above the program. */
declare const PUBLISHER: Publisher

const { fetch: answer } = workerOf({
  specs: endpointsOf(PUBLISHER.ecosystem).specs,
  product: PUBLISHER.product,
  now: Date.now,
  report: console.error,
})

// oxlint-disable-next-line import/no-default-export -- what a Worker is to its runtime
export default {
  fetch: answer,
  scheduled: (_: unknown, bindings: Parameters<typeof startWorkflow>[0]) => startWorkflow(bindings, fetch),
}
