import { RequestPage } from './list-view.tsx'
import { start } from './start.tsx'

await start({ load: () => Promise.resolve(null), view: () => <RequestPage /> })
