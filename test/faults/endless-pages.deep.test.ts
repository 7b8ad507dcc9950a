import { expect, it } from 'vitest'
import { BOMBS, collectedUnder } from './memory.ts'

// The others are in the deep suite. This one ended in a heap abort: no bound over all pages.
it('stays under 1 GiB when every host sends pages of one large row, again and again', async () => {
  const bomb = BOMBS['a page of one large row, again and again']
  if (!bomb) throw new Error('no such bomb')
  const { peakMiB, ends } = await collectedUnder(bomb)
  expect(ends.filter(([, code]) => code !== 'source_invalid')).toEqual([])
  expect(peakMiB).toBeLessThan(1024)
})
