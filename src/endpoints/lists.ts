import type { Asset } from '../contract/asset.ts'
import type { Snapshot } from '../feed/snapshot.ts'

/** Returns the members of a list of assets. Rows are whole assets: the endpoint's schema drops the members it lacks. */
export const assetRows = <Row extends Asset>(snapshot: Snapshot, assets: readonly Row[]) => ({
  count: assets.length,
  total: snapshot.listed.length,
  rows: assets,
})
