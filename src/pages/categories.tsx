import { api } from './api.ts'
import { Categories, Category } from './categories-view.tsx'
import { idHere, start } from './start.tsx'

const id = idHere()

if (id === '')
  await start({ load: async () => (await api.categories()).data, view: ({ rows }) => <Categories rows={rows} /> })
else await start({ load: async () => (await api.category(id)).data, view: (answer) => <Category {...answer} /> })
