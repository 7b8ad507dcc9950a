import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { has } from './running.ts'

const guide = readFileSync(new URL('../../.github/docs/hosting.md', import.meta.url), 'utf8')
const snippets = [...guide.matchAll(/```(\w+)\n# ([\w./-]+)[^\n]*\n([\s\S]*?)```/g)].map(
  ([, , name = '', text = '']) => ({ name, text }),
)

function fileOf(name: string): string {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  const text = snippets.find((one) => one.name === name)?.text
  if (text === undefined) throw new Error(`hosting.md has no ${name}`)
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

it.skipIf(!has('caddy'))('the Caddyfile of the guide is valid', () => {
  const args = ['adapt', '--config', fileOf('Caddyfile'), '--adapter', 'caddyfile']
  const { status, stderr } = spawnSync('caddy', args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, expect.anything()])
})

it('the crontab of the guide has five times and a command', () => {
  const lines = readFileSync(fileOf('crontab'), 'utf8').trim().split('\n')
  expect(lines).toEqual([expect.stringMatching(/^(?:\S+ ){5}cd \S+ && /)])
})

it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('the units of the guide pass systemd-analyze verify', () => {
  const units = ['quotetree.service', 'quotetree.timer'].map(fileOf)
  for (const unit of units) {
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    // The program is not installed there, and each is verified alone.
    const faults = stderr
      .split('\n')
      .filter((line) => line.includes('quotetree') && !/not executable|not found/.test(line))
    expect(faults).toEqual([])
  }
})
