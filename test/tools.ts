import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { D1Binding } from '../src/requests/d1-queue.ts'

const place = fileURLToPath(new URL('../.ci/tools/package.json', import.meta.url))

/** Whether the programs of `npm ci --prefix .ci/tools` are there, too large for every installation. */
export const hasTools = existsSync(join(dirname(place), 'node_modules'))

/** Returns the path of a file of these programs, such as `wrangler/bin/wrangler.js`. */
export const toolFile = (name: string): string => join(dirname(place), 'node_modules', name)

const load = async (name: string) => import(pathToFileURL(createRequire(place).resolve(name)).href)

/** A program in workerd, as far as tests use it. */
export interface Workerd {
  readonly ready: Promise<URL>
  dispose(): Promise<void>
  dispatchFetch(url: string, init: RequestInit): Promise<Response>
  getD1Database(name: string): Promise<D1Binding>
}

interface Miniflare {
  readonly Miniflare: new (options: object) => Workerd
  readonly Response: typeof Response
}

interface Rows {
  getRows(): unknown[][]
}

interface Duck {
  readonly DuckDBInstance: {
    create(path?: string): Promise<{
      connect(): Promise<{ runAndReadAll(query: string): Promise<Rows>; closeSync(): void }>
      closeSync(): void
    }>
  }
}

export const miniflare = async (): Promise<Miniflare> => load('miniflare')
export const duckdb = async (): Promise<Duck> => load('@duckdb/node-api')
