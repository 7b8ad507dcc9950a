import { part } from './dom.ts'
import { venueList, venuePage } from './exchanges-view.ts'
import { api, frame, into } from './frame.ts'

const open = (): Promise<void> =>
  into(part('exchanges', HTMLElement), async () => {
    const id = decodeURIComponent(location.hash.slice(1))
    return id === '' ? venueList((await api.exchanges()).data.rows) : venuePage((await api.exchange(id)).data)
  })

addEventListener('hashchange', () => void open())
await Promise.all([open(), frame(() => void open())])
