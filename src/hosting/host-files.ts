import type { EndpointSpec } from '../contract/endpoint-spec.ts'

/** What the files of a host are made from. */
export interface Site {
  readonly specs: readonly EndpointSpec[]
  /** Folder of the tree, as the host finds it. */
  readonly tree: string
  /** `host:port` of the Node server that answers what files cannot. */
  readonly server: string
  /** Port that the host listens on. */
  readonly port: number
  /** Whether nginx has its module for brotli files. */
  readonly brotli: boolean
  /** Id of the D1 database of listing requests; null where there is none yet. */
  readonly database: string | null
}

/** A file that a host wants. */
export interface HostFile {
  readonly path: string
  readonly text: string
  /** In the published tree, or in the folder of the host's own files. */
  readonly place: 'tree' | 'folder'
}
