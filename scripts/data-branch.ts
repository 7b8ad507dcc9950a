import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { isBranchName, isRemote } from '../src/delivery/branch.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { gitEnvironment } from './git-environment.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run data-branch -- --remote <address or folder> [options]
Commits the facts of a published tree to a branch, one per line, if any of them changed.

  --tree             folder of the tree, dist by default
  --remote           URL or folder of the repository that has the branch
  --branch           branch to commit to, snapshots by default
  --author           author of the commits, "Quotetree <quotetree@users.noreply.github.com>" by default
  --json             print the report as JSON`

await main(async () => {
  const { values } = parsed('data-branch', {
    options: {
      tree: { type: 'string', default: 'dist' },
      remote: { type: 'string' },
      branch: { type: 'string', default: 'snapshots' },
      author: { type: 'string', default: 'Quotetree <quotetree@users.noreply.github.com>' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  if (values.remote === undefined || values.remote === '')
    throw new UsageError(`Name the repository with --remote.\n\n${HELP}`)
  if (!isRemote(values.remote)) throw new UsageError(`--remote takes an address or a folder, not "${values.remote}".`)
  if (!isBranchName(values.branch)) throw new UsageError(`--branch takes the name of a branch, not "${values.branch}".`)
  if (!/^[^<>\n]+ <[^<>\s]+>$/.test(values.author)) throw new UsageError('--author takes "Name <mail>".')
  const report = await commitData({
    root: resolve(values.tree),
    to: { remote: values.remote, branch: values.branch },
    author: values.author,
    settings: { scratch: tmpdir(), env: gitEnvironment() },
  })
  if (values.json) print(JSON.stringify(report, null, 2))
  else print(report.subject === null ? 'No fact changed.' : `${report.subject} (${report.changed} files)`)
  return EXIT.done
})
