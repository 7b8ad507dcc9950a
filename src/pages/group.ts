import './start.ts'
import { idHere } from './thing.ts'

const id = idHere()
if (id !== '') {
  const { showCategory, showExchange } = await import('./any-thing.tsx')
  await (location.pathname.includes('/exchanges/') ? showExchange : showCategory)(id)
}
