/** Whether this is the deep suite: files that `vitest.config.ts` names run in both, with more of the same in the deep one. */
const isDeep = process.env['QUOTETREE_TEST_SCALE'] === 'deep'

/** What the short suite takes, or what the deep one does. */
export const scaled = <Value>(short: Value, deep: Value): Value => (isDeep ? deep : short)
