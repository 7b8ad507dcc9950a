import { LAYOUT } from '../core/tree/layout.ts'
import { STATE } from '../core/tree/tables.ts'
import type { Place } from '../core/tree/remote.ts'
import { type Branch, inNewRepository, isOnRemote } from './git.ts'
import { DeliveryError } from './delivery-error.ts'

/**
 * Returns the traces of an earlier publication, a sentence each. A place has none only if it clearly says so, as with a
 * 404: a 403, a redirect, a timeout or a page instead of JSON may hide a publication.
 */
export async function tracesOf(places: readonly Place[], branch: Branch, env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await Promise.all([...places.map(atPlace), inRepository(branch, env)])
  return found.flatMap((trace) => trace ?? [])
}

async function atPlace(place: Place): Promise<string | null> {
  for (const file of [LAYOUT.index, STATE.list]) {
    const answer = await place.ask(file, 0)
    if ('content' in answer) return `${place.name} has ${file}`
    // The answer for a missing file of a folder has no status.
    if (answer.reason !== 'absent' || (answer.status ?? 404) !== 404) return `${place.name}: ${file} ${answer.why}`
  }
  return null
}

async function inRepository(branch: Branch, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const isThere = await inNewRepository(env, (git) => isOnRemote(git, branch))
    return isThere ? `the repository has a branch ${branch.branch}` : null
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return `git could not tell whether the repository has a branch ${branch.branch}: ${error.message}`
  }
}
