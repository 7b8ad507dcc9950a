import type { Publisher } from '../../src/endpoints/ecosystem.ts'
import { endpointsOf } from '../../src/endpoints/table.ts'
import { type ShapeFolders, shapesIn } from '../../src/service/shapes.ts'
import { workerOf } from '../../src/service/worker.ts'

/** Whose API this is, and where it imitates others; written above the program. */
declare const PUBLISHER: Publisher
declare const SHAPES: ShapeFolders

const worker = workerOf({
  specs: endpointsOf(PUBLISHER.ecosystem).specs,
  product: PUBLISHER.product,
  shapes: shapesIn(SHAPES),
  now: Date.now,
  report: console.error,
})

// oxlint-disable-next-line import/no-default-export -- what a Worker is to its runtime
export { worker as default }
