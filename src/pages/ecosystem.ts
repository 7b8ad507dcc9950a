import type { TnkAnswer } from '../client/answers.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { part } from './dom.ts'
import { ecosystemAssets, pools } from './ecosystem-view.ts'
import { ROOT, api, frame, into } from './frame.ts'

/** Reads the publisher's own assets. The client has a method for the built-in endpoint alone. */
async function ownAssets(endpoint: string | undefined): Promise<TnkAnswer> {
  if (endpoint === undefined) return (await api.tnk()).data
  const response = await fetch(new URL(`${API_FOLDER}/${endpoint}.json`, ROOT))
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  const answer: TnkAnswer = await response.json()
  return answer
}

const load = (): Promise<unknown> =>
  Promise.all([
    into(part('assets', HTMLElement), async () =>
      ecosystemAssets(await ownAssets(part('assets', HTMLElement).dataset['endpoint'])),
    ),
    into(part('pairs', HTMLElement), async () => pools((await api.dexPairs()).data.rows)),
  ])

await Promise.all([load(), frame(() => void load())])
