import { expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { BOMBS, DENSE_FILES, collectedUnder, readDense } from './memory.ts'

const MOST_MIB = 1024

it.each(Object.keys(BOMBS))(`stays under ${MOST_MIB} MiB when every host sends %s`, async (name) => {
  const bomb = BOMBS[name]
  if (!bomb) throw new Error(name)
  const { peakMiB, ends } = await collectedUnder(bomb)
  console.log(`${name}: ${peakMiB} MiB`)
  expect(ends.filter(([, code]) => code === null)).toEqual([])
  expect(peakMiB).toBeLessThan(MOST_MIB)
})

const MOST_OF_A_FILE_MIB = 400

it.each(DENSE_FILES)(`stays under ${MOST_OF_A_FILE_MIB} MiB while it reads %s`, async (name) => {
  const { peakMiB, ends } = await readDense(name, newFolder())
  console.log(`${name}: ${peakMiB} MiB, ${ends.slice(0, 150)}`)
  expect(peakMiB).toBeLessThan(MOST_OF_A_FILE_MIB)
})
