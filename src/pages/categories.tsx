import { api } from './api.ts'
import { Categories, Category } from './categories-view.tsx'
import { start } from './start.tsx'
import { idHere, startThing } from './thing.tsx'

const id = idHere()

if (id === '')
  await start({
    load: (_, optional) => Promise.all([api.categories(), optional('the totals of chains', api.chains())]),
    view: ([categories, chains]) => <Categories rows={categories.data.rows} chains={chains?.data.rows ?? []} />,
  })
else
  await startThing({
    kind: 'category',
    id,
    all: 'All categories',
    load: async () => (await api.category(id)).data,
    view: (answer) => <Category {...answer} />,
  })
