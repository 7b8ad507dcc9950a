import { QUEUE_ABOUT } from './open-queue.ts'
import { serveTree } from './serve-tree.ts'
import { main, options } from './usage.ts'

await main(() => {
  const given = options(
    'serve',
    'Serves a published tree. Environment: HOST and PORT to listen on, PROXIES in front of the server.',
    {
      root: { type: 'string', about: 'folder of the tree, dist by default' },
      queue: { type: 'string', about: QUEUE_ABOUT },
      log: { type: 'boolean', about: 'log each request as a line of JSON' },
    },
  )
  return serveTree(String(given['root'] ?? 'dist'), String(given['queue'] ?? '.queue'), given['log'] === true)
})
