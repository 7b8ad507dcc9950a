import { part } from './dom.ts'
import { api, frame, into } from './frame.ts'
import { heldBack, method, overview, recentChanges, runCalendar, sourcesTable } from './status-view.ts'

const load = (): Promise<unknown> => {
  const collector = api.collector()
  return Promise.all([
    into(part('overview', HTMLElement), async () => overview((await collector).data)),
    into(part('runs', HTMLElement), async () => runCalendar((await collector).data.runs)),
    into(part('sources', HTMLElement), async () => sourcesTable((await collector).data.rows)),
    into(part('quarantine', HTMLElement), async () => heldBack((await api.quarantine()).data.rows)),
    into(part('changes', HTMLElement), async () => recentChanges((await api.changes()).data.rows)),
    into(part('methodology', HTMLElement), async () => method((await collector).data)),
  ])
}

await Promise.all([load(), frame(() => void load())])
