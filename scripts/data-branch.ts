import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { isBranchName, isRemote } from '../src/delivery/branch.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { gitEnvironment } from './git-environment.ts'
import { settingsWith } from './settings.ts'
import { declare, seeHelp } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    tree: { type: 'string', default: 'dist', about: 'folder of the tree' },
    remote: { type: 'string', about: 'URL or folder of the repository that has the branch; required' },
    branch: { type: 'string', default: 'snapshots', about: 'branch to commit to' },
    author: {
      type: 'string',
      about: 'author of the commits, "<product> <quotetree@users.noreply.github.com>" by default',
    },
  },
  async run(values, _, output) {
    if (values.remote === undefined || values.remote === '')
      throw new UsageError(`Name the repository with --remote. ${seeHelp('data-branch')}`)
    if (!isRemote(values.remote)) throw new UsageError(`--remote takes an address or a folder, not "${values.remote}".`)
    if (!isBranchName(values.branch))
      throw new UsageError(`--branch takes the name of a branch, not "${values.branch}".`)
    const { product } = (await settingsWith()).config
    const author = values.author ?? `${product.replaceAll(/[<>]/g, '')} <quotetree@users.noreply.github.com>`
    if (!/^[^<>\n]+ <[^<>\s]+>$/.test(author)) throw new UsageError('--author takes "Name <mail>".')
    const report = await commitData({
      root: resolve(values.tree),
      to: { remote: values.remote, branch: values.branch },
      author,
      settings: { scratch: tmpdir(), env: gitEnvironment() },
    })
    output.result(report, () =>
      report.subject === null ? 'No fact changed.' : `${report.subject} (${report.changed} files)`,
    )
    return EXIT.done
  },
})
