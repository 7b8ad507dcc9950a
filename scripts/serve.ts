import { serveTree } from './serve-tree.ts'
import { main, options } from './usage.ts'

await main(() => {
  const given = options('serve', 'Serves a published tree. HOST and PORT in the environment say where.', {
    root: { type: 'string', about: 'folder of the tree, dist by default' },
    queue: { type: 'string', about: 'folder of the listing requests, .queue by default' },
  })
  return serveTree(String(given['root'] ?? 'dist'), String(given['queue'] ?? '.queue'))
})
