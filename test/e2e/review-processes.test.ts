import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { newFolder } from '../sample-tree.ts'
import { recordOf } from '../service/world.ts'
import { ended, start } from './commands.ts'

it('keeps the entry and the decision of each of four reviewers who accept at once', async () => {
  const place = newFolder()
  const [tree, queue, registry] = [join(place, 'tree'), join(place, 'queue'), join(place, 'registry')]
  mkdirSync(join(tree, 'api/mkt'), { recursive: true })
  writeFileSync(join(tree, 'api/mkt/markets.json'), '{"rows":[]}')
  mkdirSync(registry)
  writeFileSync(join(place, 'quotetree.config.ts'), "export default { registry: 'registry' }\n")
  const requests = openFolderQueue(queue)
  const names = ['ash', 'birch', 'cedar', 'date']
  for (const name of names) {
    const record = recordOf(`request-${name}`, name)
    await requests.add({ ...record, body: { ...record.body, symbol: name } })
  }
  const options = ['--yes', '--tree', tree, '--queue', queue]
  const ends = await Promise.all(
    names.map((name) => ended(start('registry', ['accept', `request-${name}`, ...options], {}, place))),
  )
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']))

  expect(readdirSync(registry)).toEqual(names.map((name) => `${name}.json`))
  expect(JSON.parse(readFileSync(join(registry, 'ash.json'), 'utf8'))).toMatchObject({ slug: 'ash' })
  const decided = await requests.list()
  expect(decided.map(({ status, reason }) => [status, reason])).toEqual(
    names.map((name) => ['accepted', `It will be listed as ${name}.`]),
  )
})
