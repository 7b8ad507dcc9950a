import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { liveSources } from '../../src/core/sources/table.ts'
import { TOGETHER, coveringGroups, describeFaults } from './matrix.ts'

it('knows what every source answers when it is well: test/sources/<id>.upstream.ts', () => {
  const files = readdirSync(new URL('../sources', import.meta.url))
  expect(liveSources({}).filter(({ id }) => !files.includes(`${id}.upstream.ts`))).toEqual([])
})

describeFaults(coveringGroups(), TOGETHER)
