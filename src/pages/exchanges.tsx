import { api } from './api.ts'
import { Exchange, Exchanges } from './exchanges-view.tsx'
import { start } from './start.tsx'
import { idHere } from './thing-here.ts'

const id = idHere('exchanges')

if (id === null)
  await start({ load: async () => (await api.exchanges()).data, view: ({ rows }) => <Exchanges rows={rows} /> })
else await start({ load: async () => (await api.exchange(id)).data, view: (answer) => <Exchange {...answer} /> })
