import { api } from './api.ts'
import { Exchange, Exchanges } from './exchanges-view.tsx'
import { idHere, start } from './start.tsx'

const id = idHere()

if (id === '')
  await start({ load: async () => (await api.exchanges()).data, view: ({ rows }) => <Exchanges rows={rows} /> })
else await start({ load: async () => (await api.exchange(id)).data, view: (answer) => <Exchange {...answer} /> })
