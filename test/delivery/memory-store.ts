import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import type { ObjectStore, Stored } from '../../src/delivery/s3.ts'

/** A store in memory that counts what is written and may refuse it, for rules that are not about a server. */
export interface MemoryStore extends ObjectStore {
  readonly puts: () => string[]
  readonly removals: () => string[]
  /** Called before each write; when it answers false, the write fails. */
  onPut: (count: number) => boolean
}

/** Keys are counted with the folder before them, as a server counts them. */
export function memoryStore(name: string, folder: string): MemoryStore {
  const objects = new Map<string, Stored & { readonly etag: string }>()
  const [puts, removals]: [string[], string[]] = [[], []]
  const store: MemoryStore = {
    name,
    puts: () => puts.splice(0),
    removals: () => removals.splice(0),
    onPut: () => true,
    async list() {
      await turn()
      return new Map([...objects].map(([key, { etag }]) => [key, etag]))
    },
    async read(key) {
      await turn()
      const object = objects.get(key)
      if (!object) return null
      return (
        object.headers['content-encoding'] === 'gzip' ? gunzipSync(object.body) : Buffer.from(object.body)
      ).toString()
    },
    async put(object) {
      await turn()
      if (!store.onPut(puts.length + 1)) throw new DeliveryError(`${name} closed the connection`)
      puts.push(`${folder}/${object.key}`)
      const etag = createHash('md5').update(object.body).digest('hex')
      objects.set(object.key, { ...object, etag })
      return null
    },
    async remove(key) {
      await turn()
      removals.push(`${folder}/${key}`)
      objects.delete(key)
      return null
    },
  }
  return store
}
