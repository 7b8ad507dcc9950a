import { api } from './api.ts'
import { start } from './start.tsx'
import { Status } from './status-view.tsx'

await start({
  load: async (_, optional) => {
    const [collector, held, changes] = await Promise.all([
      api.collector(),
      optional('the values held back', api.quarantine()),
      optional('the recent changes', api.changes()),
    ])
    return { ...collector.data, held: held?.data.rows ?? null, changes: changes?.data.rows ?? null }
  },
  view: (status) => <Status {...status} />,
})
