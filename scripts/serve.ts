import { TREE, declare } from './command.ts'
import { QUEUE_ABOUT } from './open-queue.ts'
import { serveTree } from './serve-tree.ts'

export const command = declare({
  without: { json: 'it serves until it is stopped; --log prints requests as JSON' },
  options: {
    tree: TREE,
    queue: { type: 'string', default: '.queue', about: QUEUE_ABOUT },
    log: { type: 'boolean', default: false, about: 'log each request as a line of JSON' },
  },
  notes: 'Environment: HOST and PORT to listen on, PROXIES in front of the server.',
  run: ({ tree, queue, log }, _, output) => serveTree({ folder: tree, queue, access: log }, output),
})
