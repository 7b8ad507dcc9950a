import { it } from 'vitest'

/** Whether this is the deep suite: files that `vitest.config.ts` names run in both, with more of the same in the deep one. */
const isDeep = process.env['QUOTETREE_TEST_SCALE'] === 'deep'

/** What the short suite takes, or what the deep one does. */
export const scaled = <Value>(short: Value, deep: Value): Value => (isDeep ? deep : short)

/** A test of breadth: the deep suite has it, the short one leaves it out. */
export const deepIt: (name: string, test: () => void | Promise<void>) => void = isDeep ? it : () => {}
