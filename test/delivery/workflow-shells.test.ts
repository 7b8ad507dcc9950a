import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../e2e/commands.ts'
import { newFolder } from '../sample-tree.ts'
import { runShell, shellOf } from './workflow-steps.ts'
import { deepIt } from '../scale.ts'

/** A machine with git repositories in place of GitHub, the commands of the project, and a `gh` that writes down its calls. */
function machine(gh: string) {
  const place = newFolder()
  const [bin, copy] = [join(place, 'bin'), join(place, 'copy')]
  for (const folder of [bin, copy]) mkdirSync(folder)
  const npm = `#!/bin/bash\n[ "$1 $2 $4" = 'run --silent --' ] && exec node "${commands}/quotetree.cjs" "$3" "\${@:5}"\nexit 127\n`
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
  writeFileSync(join(bin, 'gh'), `#!/bin/bash\necho "$*" >> "${place}/gh.txt"\n${gh}\n`, { mode: 0o755 })
  writeFileSync(
    join(place, '.gitconfig'),
    `[user]\nname = t\nemail = t@example.org\n[url "file://${place}/"]\ninsteadOf = https://github.com/\n` +
      'insteadOf = https://x-access-token:job-token@github.com/\n',
  )
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: place, RUNNER_TEMP: place, GH_TOKEN: 'job-token' }
  return {
    place,
    copy,
    step: (workflow: string, name: string, more: Record<string, string>) =>
      runShell(shellOf(workflow, name), copy, { ...env, ...more }),
    git: (folder: string, ...args: readonly string[]) =>
      execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim(),
    calls: () =>
      existsSync(join(place, 'gh.txt')) ? readFileSync(join(place, 'gh.txt'), 'utf8').trim().split('\n') : [],
  }
}

type Machine = ReturnType<typeof machine>

function committed({ git }: Machine, folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'Change')
  return git(folder, 'rev-parse', 'HEAD')
}

it('the daily check looks at the site of the settings, and fails where it is not there', async () => {
  const { copy, step } = machine('')
  writeFileSync(join(copy, 'quotetree.config.ts'), "export default { site: 'http://127.0.0.1:9/feed/' }\n")
  const { code, output } = await step('publish.yml', 'Look at the site', { GITHUB_REPOSITORY_OWNER: 'someone' })
  expect([code, output]).toEqual([3, expect.stringContaining('127.0.0.1:9/feed')])
})

it('the daily check keeps the schedule', async () => {
  const { step, calls } = machine('')
  const { code } = await step('publish.yml', 'Keep the schedule', {
    GITHUB_REPOSITORY: 'someone/data',
    GITHUB_WORKFLOW_REF: 'someone/data/.github/workflows/snapshot.yml@refs/heads/main',
  })
  expect(code).toBe(0)
  expect(calls()).toEqual(['api --method PUT repos/someone/data/actions/workflows/snapshot.yml/enable'])
})

describe('the check of a pull request to the registry', () => {
  const GROVE = JSON.stringify({ slug: 'grove-coin', symbol: 'GROVE', name: 'Grove Coin' })

  interface Case {
    /** Whether the pull request has no comment yet. */
    readonly isFirst?: boolean
    readonly known?: Readonly<Record<string, string>>
    /** What the pull request does besides writing files, in its working copy. */
    readonly change?: (folder: string) => void
  }

  /** Takes and checks the files of a pull request whose base has changed since, and comments. */
  async function checked(
    files: Readonly<Record<string, string>>,
    { isFirst = true, known = {}, change = () => {} }: Case = {},
  ) {
    const made = machine(isFirst ? '[[ "$*" != *--edit-last* ]]' : '')
    const { place, copy, git, step, calls } = made
    const origin = join(place, 'origin')
    git(place, 'init', '--quiet', '--initial-branch=main', origin)
    const start = committed(made, origin, { 'README.md': 'feed\n', ...known })
    // The base has gone on since the pull request was opened.
    const base = committed(made, origin, { 'registry/younger.json': '{' })
    rmSync(copy, { recursive: true })
    git(place, 'clone', '--quiet', origin, copy)
    git(origin, 'switch', '--quiet', '--create', 'theirs', start)
    change(origin)
    committed(made, origin, files)
    git(origin, 'update-ref', 'refs/pull/7/head', 'theirs')
    const env = { NUMBER: '7', BASE: base, REPOSITORY: 'someone/feed' }
    const taken = await step('registry.yml', 'Take the assets of the pull request', env)
    const found = taken.code === 0 ? await step('registry.yml', 'Check', env) : null
    if (existsSync(join(copy, 'comment.md')))
      expect(await step('registry.yml', 'Comment', env)).toMatchObject({ code: 0 })
    const comment = existsSync(join(copy, 'comment.md')) ? readFileSync(join(copy, 'comment.md'), 'utf8') : null
    return { taken, found, comment, calls: calls() }
  }

  it('comments on the files that the pull request adds, and on nothing else', async () => {
    const { found, comment, calls } = await checked({
      'registry/grove-coin.json': GROVE,
      'registry/grove-coin.svg': '<svg onload="x()"/>',
      'src/core/registry/assets/other.json': '{',
      'package.json': '{}',
    })
    expect(found?.code).not.toBe(0)
    expect(comment).toMatch(/^    \S+grove-coin\.json: Grove Coin.*\n      must be changed: The logo/m)
    expect(comment).toMatch(/^    \S+other\.json: cannot be read\n      must be changed: /m)
    expect(comment).not.toMatch(/package\.json|^ {0,3}\S/m)
    expect(calls).toEqual([
      'pr comment 7 --repo someone/feed --body-file comment.md --edit-last',
      'pr comment 7 --repo someone/feed --body-file comment.md',
    ])
  })

  deepIt('changes its own comment when the pull request changes', async () => {
    const { found, comment, calls } = await checked({ 'registry/grove-coin.json': GROVE }, { isFirst: false })
    expect(found).toMatchObject({ code: 0 })
    expect(comment).toMatch(/^    \S+grove-coin\.json: Grove Coin \(GROVE\), 0 contracts$/m)
    expect(comment).not.toContain('must be changed')
    expect(calls).toHaveLength(1)
  })

  it('checks an asset that was renamed, with the contract that was changed on the way', async () => {
    const { found, comment } = await checked(
      {
        'registry/grove-gold.json': GROVE.replace(
          '"}',
          '","contracts":[{"chain":"moon","address":"0x1","decimals":6}]}',
        ),
      },
      {
        known: { 'registry/grove-coin.json': GROVE },
        change: (folder) => rmSync(join(folder, 'registry/grove-coin.json')),
      },
    )
    expect(found?.code).not.toBe(0)
    expect(comment).toContain('registry/grove-gold.json')
    expect(comment).toContain('chains.json has no moon')
  })

  it('checks a file that became a link, and an asset whose logo alone changed', async () => {
    const { comment } = await checked(
      { 'registry/grove-coin.svg': '<svg><x:script/></svg>' },
      {
        known: { 'registry/grove-coin.json': GROVE, 'registry/oak.json': GROVE },
        change: (folder) => {
          rmSync(join(folder, 'registry/oak.json'))
          symlinkSync('/etc/passwd', join(folder, 'registry/oak.json'))
        },
      },
    )
    expect(comment).toContain('The logo')
    expect(comment).toContain('The file is not a JSON object')
    expect(comment).not.toContain('root')
  })

  it('has nothing to check where a pull request only removes assets', async () => {
    const { taken, found } = await checked(
      { 'README.md': 'less\n' },
      {
        known: { 'registry/grove-coin.json': GROVE },
        change: (folder) => rmSync(join(folder, 'registry/grove-coin.json')),
      },
    )
    expect([taken.code, found?.code]).toEqual([0, 0])
  })

  it('refuses names that are more than letters, digits and dashes, and writes none of them', async () => {
    const { taken, comment } = await checked({ 'registry/$(touch x)\n::error::x.json': GROVE })
    expect(taken).toMatchObject({ code: 1, output: expect.stringContaining('Name files in lower case') })
    expect(taken.output).not.toMatch(/^::error/m)
    expect(comment).toBeNull()
  })
})
