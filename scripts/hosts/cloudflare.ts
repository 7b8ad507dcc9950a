import { specs } from '../../src/endpoints/table.ts'
import { PRODUCT } from '../../src/contract/product.ts'
import { workerOf } from '../../src/service/worker.ts'

const worker = workerOf({ specs, product: PRODUCT, now: Date.now, report: console.error })

// oxlint-disable-next-line import/no-default-export -- what a Worker is to its runtime
export { worker as default }
