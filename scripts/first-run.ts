import { tmpdir } from 'node:os'
import { isBranchName, isRemote } from '../src/delivery/branch.ts'
import { tracesOf } from '../src/delivery/first-run.ts'
import { visibleLines } from '../src/contract/visible.ts'
import { placeAt } from '../src/tree/place.ts'
import { gitEnvironment } from './git-environment.ts'
import { print, printError } from './terminal.ts'
import { REMOTE } from './tree-reader.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  without: { json: 'its output is an option for snapshot', quiet: 'its output is its result' },
  options: {
    out: { type: 'string', about: 'folder that the CI cache is restored into, dist by default' },
    site: { type: 'string', about: 'URL of the published site' },
    remote: { type: 'string', about: 'URL or folder of the repository that has the data branch' },
    branch: { type: 'string', about: 'the data branch, snapshots by default' },
    asked: { type: 'string', about: 'true if a person asked to start fresh' },
  },
  async run(given) {
    if (given.asked === 'true') {
      print('--fresh')
      return EXIT.done
    }
    const { site, remote, branch = 'snapshots' } = given
    if (site === undefined) throw new UsageError('Name the published site with --site.')
    if (remote === undefined || !isRemote(remote)) throw new UsageError('Name the repository with --remote.')
    if (!isBranchName(branch)) throw new UsageError(`--branch takes the name of a branch, not "${branch}".`)
    const traces = await tracesOf({
      cache: placeAt(given.out ?? 'dist', REMOTE),
      site: placeAt(site, REMOTE),
      branch: { remote, branch },
      settings: { scratch: tmpdir(), env: gitEnvironment() },
    })
    // Standard output is handed to npm run snapshot.
    if (traces.length === 0) print('--fresh')
    else printError(visibleLines(traces.map((trace) => `Not the first run: ${trace}.`)))
    return EXIT.done
  },
})
