import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Place, placeAt } from '../../src/core/tree/remote.ts'
import { filesBelow } from '../../src/core/tree/reader.ts'

const OPTIONS = { timeoutMs: 120_000, attempts: 1, pause: async () => {} }

/** A copy by hard links, because published files are replaced and never written to. */
function copied(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  for (const file of existsSync(from) ? filesBelow(from, '') : []) {
    const target = join(to, file)
    if (!existsSync(dirname(target))) mkdirSync(dirname(target), { recursive: true })
    linkSync(join(from, file), target)
  }
}

/** A site that answers everything with this status. */
const answering = (status: number): Place => ({
  name: 'https://site.example',
  ask: async () =>
    status >= 500
      ? { reason: 'unreachable', why: `answers ${status}`, status }
      : { reason: 'absent', why: `answers ${status}`, status },
})

/** Where the state of a machine survives that is thrown away: the site, and the cache of a CI service. */
export class Places {
  readonly site: string
  readonly #cache: string
  readonly #root: string

  constructor(folder: string, root: string) {
    this.site = join(folder, 'site')
    this.#cache = join(folder, 'cache')
    this.#root = root
  }

  deploy(): void {
    copied(this.#root, this.site)
  }

  keepState(): void {
    if (existsSync(join(this.#root, 'state'))) copied(join(this.#root, 'state'), this.#cache)
  }

  loseState(): void {
    rmSync(this.#cache, { recursive: true, force: true })
  }

  move(): void {
    rmSync(this.#root, { recursive: true, force: true })
    mkdirSync(this.#root)
    if (existsSync(this.#cache)) copied(this.#cache, join(this.#root, 'state'))
  }

  /** Whether a new machine can go on: the tables are in the cache, or the site answers. */
  canRestore(status: number | null): boolean {
    return existsSync(join(this.#cache, 'tables.json')) || (status === null && existsSync(join(this.site, 'state')))
  }

  from(status: number | null): readonly Place[] {
    return [status === null ? placeAt(this.site, OPTIONS) : answering(status)]
  }
}
