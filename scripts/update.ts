import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { visibleLines } from '../src/contract/visible.ts'
import { isRemote } from '../src/delivery/branch.ts'
import { DeliveryError } from '../src/delivery/delivery-error.ts'
import { updateMarkdown, updateTo } from '../src/delivery/self-update.ts'
import { declare, seeHelp } from './command.ts'
import { gitEnvironment } from './environment.ts'
import { settingsWith } from './settings.ts'
import { EXIT, UsageError } from './usage.ts'

const run = promisify(execFile)

/** File that names the release of the last update. */
const MARK = '.github/upstream'

export const command = declare({
  options: {
    upstream: { type: 'string', about: "URL or folder of the project's repository; required" },
    to: { type: 'string', about: 'tag or branch of the release to take over; required' },
    workflows: { type: 'boolean', default: false, about: 'take over workflows too, which only a person may push' },
    message: { type: 'string', about: 'file to write the text of the pull request into' },
  },
  notes:
    'Changes the working copy and commits nothing. Exits with 0 and prints "Nothing to update." if there is nothing new.',
  async run({ upstream, to, workflows, message }, _, output) {
    if (upstream === undefined || !isRemote(upstream))
      throw new UsageError(`Name the project's repository with --upstream. ${seeHelp('update')}`)
    if (to === undefined || !/^[\w][\w./-]*$/.test(to))
      throw new UsageError('--to takes a tag or a branch, such as v1.2.0.')
    const { config } = await settingsWith()
    const own = [config.registry, config.pages.logo].filter((path) => typeof path === 'string')
    const from = existsSync(MARK) ? readFileSync(MARK, 'utf8').trim() : null
    const releases = { upstream, to, from: from === '' ? null : from, owned: [...own, MARK], withWorkflows: workflows }
    const update = await updateTo(releases, git)
    if (message !== undefined) writeFileSync(message, updateMarkdown(releases, update))
    const changed = update.written.length + update.removed.length
    if (changed > 0) writeFileSync(MARK, `${to}\n`)
    output.result(update, () =>
      changed + update.workflows.length === 0
        ? 'Nothing to update.'
        : visibleLines([
            `${update.written.length} files written, ${update.removed.length} removed. Look at them with git diff --cached.`,
            ...update.workflows.map((path) => `Left to you: ${path}`),
          ]),
    )
    return EXIT.done
  },
})

/** Runs git in the working copy. */
async function git(args: readonly string[]): Promise<string> {
  try {
    return (await run('git', [...args], { env: gitEnvironment(), maxBuffer: 2 ** 26 })).stdout
  } catch (cause) {
    throw new DeliveryError(`git ${args[0]} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
