import { openFolderQueue } from '../../scripts/open-queue.ts'
import { recordOf } from '../service/world.ts'

// A process that adds requests to a folder and prints the name of each that is safe.
const [folder = '', first = '0', count = '0'] = process.argv.slice(2)
const queue = openFolderQueue(folder)
await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) => {
    const { request_id } = await queue.add(recordOf(`request-${Number(first) + index}`))
    console.log(request_id)
  }),
)
