import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import type { Machine } from './machines.ts'
import type { ShapeFolders } from './shapes.ts'

/** Input for the files of a host. */
export interface Site {
  readonly specs: readonly EndpointSpec[]
  /** Name of the service; the built-in one by default. */
  readonly product?: string
  /** Folder of the tree, as the host sees it. */
  readonly tree: string
  /** `host:port` of the Node server for requests without a file. */
  readonly server: string
  /** Port that the host listens on. */
  readonly port: number
  /** The machine that runs the commands; absent: one with the usual places. */
  readonly machine?: Machine
  /** Whether nginx has the brotli static module. */
  readonly brotli: boolean
  /** Id of the D1 database of listing requests; null: none yet. */
  readonly database: string | null
  /** Folders of the APIs that the host imitates; the built-in ones by default. */
  readonly shapes?: ShapeFolders
}

/** A configuration file of a host. */
export interface HostFile {
  readonly path: string
  readonly text: string
  /** In the published tree, or in the folder of the host's own files. */
  readonly place: 'tree' | 'folder'
}
