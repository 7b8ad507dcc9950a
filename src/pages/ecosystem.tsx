import type { TnkAnswer } from '../client/answers.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { ECOSYSTEM } from '../contract/product.ts'
import { ROOT, api } from './api.ts'
import { EcosystemPage } from './ecosystem-view.tsx'
import { start } from './start.tsx'

const { title = ECOSYSTEM.title, endpoint = ECOSYSTEM.name } =
  document.querySelector<HTMLElement>('#ecosystem')?.dataset ?? {}

/** Reads the publisher's own assets. The client has a method for the built-in endpoint alone. */
async function ownAssets(): Promise<TnkAnswer> {
  if (endpoint === ECOSYSTEM.name) return (await api.tnk()).data
  const response = await fetch(new URL(`${API_FOLDER}/${endpoint}.json`, ROOT))
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}.`)
  const answer: TnkAnswer = await response.json()
  return answer
}

await start({
  load: async (_, optional) => {
    const [own, pairs] = await Promise.all([ownAssets(), optional('the DEX pairs', api.dexPairs())])
    return { name: endpoint, title, rows: own.rows, registry: own.registry, pairs: pairs?.data.rows ?? null }
  },
  view: (ecosystem) => <EcosystemPage {...ecosystem} />,
})
