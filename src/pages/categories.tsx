import { api } from './api.ts'
import { Categories, Category } from './categories-view.tsx'
import { start } from './start.tsx'
import { idHere } from './thing-here.ts'

const id = idHere('categories')

if (id === null)
  await start({ load: async () => (await api.categories()).data, view: ({ rows }) => <Categories rows={rows} /> })
else await start({ load: async () => (await api.category(id)).data, view: (answer) => <Category {...answer} /> })
