import { api } from './api.ts'
import { Exchange, Exchanges } from './exchanges-view.tsx'
import { start } from './start.tsx'
import { idHere, startThing } from './thing.tsx'

const id = idHere()

if (id === '')
  await start({ load: async () => (await api.exchanges()).data, view: ({ rows }) => <Exchanges rows={rows} /> })
else
  await startThing({
    kind: 'exchange',
    id,
    all: 'All exchanges',
    load: async () => (await api.exchange(id)).data,
    view: (answer) => <Exchange {...answer} />,
  })
