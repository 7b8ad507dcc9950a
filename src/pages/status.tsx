import { api } from './api.ts'
import { start } from './start.tsx'
import { Status } from './status-view.tsx'

await start({
  load: async () => {
    const [collector, held, changes] = await Promise.all([api.collector(), api.quarantine(), api.changes()])
    return { ...collector.data, held: held.data.rows, changes: changes.data.rows }
  },
  view: (status) => <Status {...status} />,
})
