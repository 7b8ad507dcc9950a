import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { branchOf, inNewRepository } from '../../src/delivery/git.ts'
import { run } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'

const env = { PATH: process.env['PATH'] ?? '' }

it("never executes a remote's name as a command", async () => {
  const proof = join(newFolder(), 'ran')
  for (const remote of [`--upload-pack=touch ${proof};`, `ext::sh -c "touch ${proof}"`])
    await inNewRepository(env, async (git) => {
      await expect(git(['ls-remote', '--end-of-options', remote])).rejects.toThrow(DeliveryError)
      await git(['config', 'remote.data.url', remote])
      await expect(git(['fetch', 'data'])).rejects.toThrow(DeliveryError)
    })
  expect(existsSync(proof)).toBe(false)
})

it.each(['git+--upload-pack=touch ran', 'git+ext::sh', 'git+/srv/data.git#snapshots:refs/heads/main', 'git+'])(
  'refuses --to %s on the command line',
  async (to) => {
    const { code, stderr } = await run('publish', ['--to', to])
    expect(stderr).toContain('--to takes s3://<bucket>[/<prefix>] or git+<URL or folder>[#<branch>]')
    expect(code).toBe(2)
  },
)

it('reads the remote and the branch', () => {
  const remote = 'https://git.example/a/b.git'
  expect(branchOf(`git+${remote}`)).toEqual({ remote, branch: 'snapshots' })
  expect(branchOf(`git+${remote}#data/own`)).toEqual({ remote, branch: 'data/own' })
  expect(branchOf(remote)).toBeNull()
})

it.each(['https://git.example/a/b.git', 'git@git.example:a/b.git', 'ssh://git.example/a', '/srv/data.git', '../data'])(
  'takes %s for a remote',
  (remote) => expect(branchOf(`git+${remote}`)?.remote).toBe(remote),
)
it.each(['-u', '--upload-pack=x', 'ext::sh -c x', '', 'a\nb'])('does not take %j for a remote', (remote) =>
  expect(branchOf(`git+${remote}`)).toBeNull(),
)

it('takes no branch name that git refuses', () => {
  const isBranchName = (name: string) => branchOf(`git+/srv/data.git#${name}`) !== null
  const part = fc.constantFrom(
    'a',
    '-',
    '.',
    '..',
    '/',
    '@',
    '{',
    ':',
    '~',
    '^',
    '*',
    '[',
    '\\',
    ' ',
    '.lock',
    '\n',
    'é',
  )
  const isTaken = (name: string): boolean => {
    try {
      execFileSync('git', ['check-ref-format', `refs/heads/${name}`], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
      (name) => {
        if (isBranchName(name)) expect(isTaken(name)).toBe(true)
      },
    ),
    { numRuns: 100 },
  )
  for (const name of ['snapshots', 'data/2026', 'v1.0', 'a@b', 'é']) expect(isBranchName(name)).toBe(true)
})
