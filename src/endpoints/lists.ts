import type { Asset } from '../contract/asset.ts'
import type { Snapshot } from '../feed/snapshot.ts'

/** The members of a list of assets. A row is the asset itself: the endpoint's schema leaves out what it does not show. */
export const assetRows = (snapshot: Snapshot, assets: readonly Asset[]) => ({
  count: assets.length,
  total: snapshot.listed.length,
  rows: assets,
})
