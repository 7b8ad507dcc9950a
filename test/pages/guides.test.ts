import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldOf } from '../../src/core/endpoints/world.ts'
import { readState } from '../../src/core/tree/state.ts'
import { guidesOf } from '../../src/pages/guides.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { NOON, copySampleTree, newFolder } from '../sample-tree.ts'
import { has } from '../service/running.ts'
import { onDisk } from '../service/world.ts'

const run = promisify(execFile)
const PROGRAMS = {
  curl: ['sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
}

const root = newFolder()
let server: Listening
beforeAll(async () => {
  await copySampleTree(root)
  server = await listen(
    onDisk(root, () => NOON),
    '127.0.0.1',
    0,
  )
})
afterAll(() => server.close())

describe.each(['quickstart', 'dashboard', 'bot', 'wallet', 'back-test', 'tax', 'agent'])('the guide %s', (id) => {
  it.each(Object.entries(PROGRAMS).filter(([, [program = '']]) => has(program)))(
    'runs in %s',
    async (name, [program = '', ...options]) => {
      const { rows } = await readState(root, [], NOON)
      const { samples = [] } = guidesOf(worldOf(rows), `${server.url}/`).find((guide) => guide.id === id) ?? {}
      const [, code = 'exit 1'] = samples.find(([language]) => language === name) ?? []
      const { stdout } = await run(program, [
        ...options,
        program === 'sh' ? code.replaceAll('curl ', 'curl -sSf ') : code,
      ])
      expect(stdout.trim()).not.toBe('')
      expect(stdout).not.toMatch(/undefined|NaN|None/)
    },
  )
})
