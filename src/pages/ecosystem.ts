import { part } from './dom.ts'
import { ecosystemAssets, pools } from './ecosystem-view.ts'
import { api, frame, into } from './frame.ts'

const load = (): Promise<unknown> =>
  Promise.all([
    into(part('assets', HTMLElement), async () => ecosystemAssets((await api.tnk()).data)),
    into(part('pairs', HTMLElement), async () => pools((await api.dexPairs()).data.rows)),
  ])

await Promise.all([load(), frame(() => void load())])
