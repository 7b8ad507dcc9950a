import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { isBranchName, isRemote } from '../src/delivery/branch-history.ts'
import { commitData, restoreData } from '../src/delivery/data-branch.ts'
import { KEEPING } from '../src/delivery/thinning.ts'
import { CADENCE_MS } from '../src/run/run.ts'
import { EXIT, UsageError, main, parsed, wholeNumber } from './usage.ts'

const HELP = `npm run data-branch -- commit|restore --remote <address or folder> [options]
commit puts what people follow of a tree into a branch, if it changed, with the news as its message, and thins what is older
than a week to a commit a day. restore brings it back into a folder without a tree.

  --tree             folder of the tree, dist by default
  --remote           address or folder of the repository that has the branch
  --branch           snapshots by default
  --author           of the commits, "Quotetree <quotetree@users.noreply.github.com>" by default
  --most-mib         what the branch may take, ${KEEPING.maxBytes / 2 ** 20} by default
  --json             print the report as JSON`

await main(async () => {
  const { values, positionals } = parsed('data-branch', {
    allowPositionals: true,
    options: {
      tree: { type: 'string', default: 'dist' },
      remote: { type: 'string' },
      branch: { type: 'string', default: 'snapshots' },
      author: { type: 'string', default: 'Quotetree <quotetree@users.noreply.github.com>' },
      'most-mib': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return EXIT.done
  }
  const [what] = positionals
  if (what !== 'commit' && what !== 'restore') throw new UsageError(`say commit or restore\n\n${HELP}`)
  if (values.remote === undefined) throw new UsageError(`name the repository with --remote\n\n${HELP}`)
  if (!isRemote(values.remote)) throw new UsageError(`--remote takes an address or a folder, not "${values.remote}"`)
  if (!isBranchName(values.branch)) throw new UsageError(`--branch takes the name of a branch, not "${values.branch}"`)
  if (!/^[^<>\n]+ <[^<>\s]+>$/.test(values.author)) throw new UsageError('--author takes "Name <mail>"')
  const to = { remote: values.remote, branch: values.branch }
  const settings = { scratch: tmpdir(), env: gitEnvironment() }
  const root = resolve(values.tree)
  if (what === 'restore') {
    const restored = await restoreData(root, to, settings)
    console.log(restored === null ? `Nothing was brought back into ${values.tree}` : `${restored} files are back`)
    return EXIT.done
  }
  const mib = wholeNumber('most-mib', values['most-mib'])
  const keeping = mib === undefined ? KEEPING : { ...KEEPING, maxBytes: mib * 2 ** 20 }
  const report = await commitData({ root, to, author: values.author, keeping, cadenceMs: CADENCE_MS, settings })
  if (values.json) console.log(JSON.stringify(report, null, 2))
  else
    console.log(
      [
        report.subject === null ? 'Nothing to commit' : `${report.subject} (${report.changed} files)`,
        `${to.branch}: ${report.commits} commits, ${(report.bytes / 2 ** 20).toFixed(1)} MiB; ` +
          `a year adds ${(report.growth.bytes_per_year / 2 ** 20).toFixed(1)} MiB, ` +
          `the limit of ${keeping.maxBytes / 2 ** 20} MiB is met after ${report.growth.years_to_limit} years`,
        ...(report.anew ? [`${to.branch} could not be read and begins anew`] : []),
      ].join('\n'),
    )
  return EXIT.done
})

/** What git needs of the environment: itself, a home for its credentials, and what CI hands over for it. */
function gitEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(PATH|HOME|SSH_AUTH_SOCK|GIT_(CONFIG|SSH|ASKPASS).*)$/.test(name) ? [[name, value]] : [],
    ),
  )
}
