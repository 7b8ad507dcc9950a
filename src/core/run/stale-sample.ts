import type { Ms } from '../contract/time.ts'
import * as z from 'zod'
import { isSampleLabel } from '../contract/product.ts'
import { readJson } from '../contract/read-json.ts'
import { Timestamp } from '../contract/words.ts'

const Index = z.object({ label: z.string(), staleAfter: Timestamp })

/** Whether a published index is that of sample data past its freshness. Real data is not the program's to replace. */
export function isStaleSample(index: string, now: Ms): boolean {
  const read = readJson(index, Index)
  return read !== null && isSampleLabel(read.label) && Date.parse(read.staleAfter) < now
}
