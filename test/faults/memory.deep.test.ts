import { expect, it } from 'vitest'
import { BOMBS, collectedUnder } from './memory.ts'

const MOST_MIB = 1024

it.each(Object.keys(BOMBS))(`stays under ${MOST_MIB} MiB when every host sends %s`, async (name) => {
  const bomb = BOMBS[name]
  if (!bomb) throw new Error(name)
  const { peakMiB, ends } = await collectedUnder(bomb)
  console.log(`${name}: ${peakMiB} MiB`)
  expect(ends.filter(([, code]) => code === null)).toEqual([])
  expect(peakMiB).toBeLessThan(MOST_MIB)
})
