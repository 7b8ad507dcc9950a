import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { workerProgram } from '../../scripts/programs.ts'
import { probe, siteAt } from '../../src/check/probe.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { sum } from '../../src/core/feed/statistics.ts'
import { hostFiles } from '../../scripts/config.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { toolFile } from '../tools.ts'
import { SITE, freePort, startedIn } from './running.ts'

it('keeps the contract behind the router of its static assets', async () => {
  const [root, folder] = [newFolder(), newFolder()]
  await copySampleTree(root, 40)
  for (const { path, text, isInTree } of hostFiles('cloudflare', { ...SITE, specs, tree: root }))
    writeFileSync(join(isInTree ? root : folder, path), text)
  writeFileSync(join(folder, 'worker.js'), await workerProgram())
  const port = await freePort()
  const wrangler = toolFile('.bin/wrangler')
  const host = await startedIn(wrangler, ['dev', '--port', String(port), '--ip', '127.0.0.1'], folder, port)
  try {
    const { findings, answers } = await probe(siteAt(host.url, fetch), specs, 'assets')
    expect(findings).toEqual([])
    expect(sum(Object.values(answers))).toBeGreaterThan(300)
  } finally {
    await host.end()
  }
})
