import { api } from './api.ts'
import { start } from './start.tsx'
import { Method } from './method-view.tsx'

await start({
  load: async () => (await api.collector()).data,
  view: ({ methodology }) => <Method methodology={methodology} />,
})
