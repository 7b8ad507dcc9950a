import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'

const script = fileURLToPath(new URL('../../.ci/run', import.meta.url))

/** Runs the gate with these programs in place of the machine's, up to `npm ci`. */
function gate(programs: Readonly<Record<string, string>>) {
  const bin = newFolder()
  mkdirSync(bin, { recursive: true })
  const ending = 'echo "npm $*"; exit 9'
  for (const [name, body] of Object.entries({ npm: ending, dirname: 'echo .', ...programs }))
    writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`, { mode: 0o755 })
  return spawnSync('/bin/bash', [script], { encoding: 'utf8', env: { PATH: bin } })
}

it('fails where it can install packages and cannot have them', () => {
  const { status, stderr } = gate({ id: 'echo 0', dpkg: 'exit 1', 'apt-get': 'exit 100' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^These packages could not be installed: chromium nginx /m)
})

it('goes on where they are installed', () => {
  const { status, stdout, stderr } = gate({ id: 'echo 0', dpkg: 'exit 0', 'apt-get': 'exit 100' })
  expect([status, stdout, stderr]).toEqual([9, 'npm ci --no-audit --no-fund\n', ''])
})

it('names what is missing where it may install nothing, and goes on', () => {
  const { status, stdout } = gate({ id: 'echo 1000', nginx: 'exit 0' })
  expect(status).toBe(9)
  expect(stdout).toContain('chromium is not installed: the tests that need it skip.\n')
  expect(stdout).not.toContain('nginx is')
})
