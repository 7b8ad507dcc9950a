import { categoryList, categoryPage } from './categories-view.ts'
import { part } from './dom.ts'
import { api, frame, into } from './frame.ts'

const open = (): Promise<void> =>
  into(part('categories', HTMLElement), async () => {
    const id = decodeURIComponent(location.hash.slice(1))
    return id === '' ? categoryList((await api.categories()).data.rows) : categoryPage((await api.category(id)).data)
  })

addEventListener('hashchange', () => void open())
await Promise.all([open(), frame(() => void open())])
