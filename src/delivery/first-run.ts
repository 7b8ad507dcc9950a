import { LAYOUT } from '../core/tree/layout.ts'
import { STATE } from '../core/tree/tables.ts'
import { type Place, bodyText } from '../core/tree/remote.ts'
import { type Branch, type GitSettings, inNewRepository, refOf } from './git.ts'
import { DeliveryError } from './delivery-error.ts'

/**
 * Returns the traces of an earlier publication, a sentence each. A place has none only if it clearly says so, as with a
 * 404: a 403, a redirect, a timeout or a page instead of JSON may hide a publication.
 */
export async function tracesOf(
  cache: Place,
  sites: readonly Place[],
  branch: Branch,
  settings: GitSettings,
): Promise<string[]> {
  const found = await Promise.all([inCache(cache), ...sites.map(onSite), inRepository(branch, settings)])
  return found.flatMap((trace) => trace ?? [])
}

async function inCache(cache: Place): Promise<string | null> {
  const answers = await Promise.all([STATE.list, LAYOUT.index].map((file) => cache.ask(file, async () => {})))
  return answers.every((answer) => 'why' in answer && answer.reason === 'absent')
    ? null
    : `${cache.name} holds a publication`
}

async function onSite(site: Place): Promise<string | null> {
  for (const file of [LAYOUT.index, STATE.list]) {
    const answer = await site.ask(file, (body) => bodyText(body, 0))
    if ('value' in answer) return `${site.name} answers with ${file}`
    // The answer for a missing file of a folder has no status.
    if (answer.reason !== 'absent' || (answer.status ?? 404) !== 404) return `${site.name}: ${file} ${answer.why}`
  }
  return null
}

async function inRepository(branch: Branch, settings: GitSettings): Promise<string | null> {
  try {
    const listed = await inNewRepository(settings, (git) =>
      git(['ls-remote', '--end-of-options', branch.remote, refOf(branch)]),
    )
    return listed.trim() === '' ? null : `the repository has a branch ${branch.branch}`
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return `git could not tell whether the repository has a branch ${branch.branch}: ${error.message}`
  }
}
