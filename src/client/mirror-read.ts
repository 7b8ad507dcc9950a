import { isoOf } from '../contract/time.ts'
import type { AssetAnswer, Envelope } from './answers.ts'
import type { Result } from './call.ts'
import { type MirrorCall, missing, readDocument } from './document.ts'
import { MirrorError, StaleError } from './errors.ts'
import { ROUTES } from './methods.ts'
import type { Mirror } from './mirror.ts'
import { type Route, type RouteRequest, type Values, HAVE_FEW, isOfAsset, notFound, requestOf } from './route.ts'

/** A stale index is read again after this time, for which hosts and proxies cache it. */
const INDEX_AGE_MS = 60_000

/** Some 3,000 years. Sums of later times might be none. */
const LATEST_MS = 1e14

/** Returns a time in ms since 1970; NaN for what a host states in place of one. */
function timeIn(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) < LATEST_MS ? time : Number.NaN
}

/** Maximum number of successive replacements of a slug that are followed. */
const MOST_HOPS = 3

/** One mirror, and how to read from it. */
export interface FreshCall extends MirrorCall {
  readonly maxStaleMs: number
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/**
 * Reads the answer to a call from one mirror, with its freshness. Follows a replaced slug, because a static host cannot
 * redirect.
 *
 * @throws ApiError if the API answers with an error, or the mirror does not have the document
 * @throws MirrorError if the mirror does not answer as the API does, or its data is too old
 */
export async function readFrom<Answer extends Envelope>(
  call: FreshCall,
  route: Route<Answer>,
  values: Values,
  hops = MOST_HOPS,
): Promise<Result<Answer>> {
  const { mirror, now } = call
  const { data, staleAfter } = await readWithFreshness(call, route, values)
  const staleForMs = now() - Date.parse(staleAfter)
  refuseStale(call, staleForMs, true)
  const slug = await successorOf(call, route, values, data)
  if (slug !== null && hops > 0) return readFrom(call, route, { ...values, slug }, hops - 1)
  if (data === missing) {
    if (route.live) throw noQueue(mirror)
    // A static host answers the same for a missing document and for a missing tree. Only a tree has an index.
    await readIndex(call)
    throw notFound(/\/:(\w+)/.exec(route.path)?.[1] ?? null, mirror.base, !HAVE_FEW.test(route.path))
  }
  const { sourceStatus, sourceError } = data
  const isCarried = sourceStatus === 'stale' || sourceStatus === 'down'
  if (isCarried && sourceError) refuseStale(call, now() - timeIn(sourceError.since), false)
  return { data, stale: isCarried || staleForMs > 0, staleAfter, mirror: mirror.base, failure: null }
}

/** Returns the error of a mirror without a queue. */
export const noQueue = ({ base }: Mirror): MirrorError =>
  new MirrorError(base, 'status', 'does not accept listing requests')

function refuseStale({ mirror, maxStaleMs }: FreshCall, staleForMs: number, isWhole: boolean): void {
  if (staleForMs > maxStaleMs) throw new StaleError(mirror.base, staleForMs, isWhole)
}

/** Reads a document, and when the mirror's snapshot becomes stale. */
async function readWithFreshness<Answer extends Envelope>(
  call: FreshCall,
  route: Route<Answer>,
  values: Values,
): Promise<{ readonly data: Answer | typeof missing; readonly staleAfter: string }> {
  const { mirror, now } = call
  // In parallel, so the first call to a mirror takes no longer than the next.
  if (mirror.staleAfter === null || isValid(call)) {
    const [data, staleAfter] = await Promise.all([readAnywhere(call, route, values), staleAfterOf(call)])
    return { data, staleAfter }
  }
  const data = await readAnywhere(call, route, values)
  // Data that a later run changed shows that the snapshot is newer than the index as it was read.
  const until = data === missing ? Number.NaN : timeIn(data.timestamp) + mirror.freshMs
  if (now() <= until) mirror.staleAfter = isoOf(until)
  return { data, staleAfter: await staleAfterOf(call) }
}

const isValid = ({ mirror: { staleAfter, indexReadAt }, now }: FreshCall): boolean =>
  staleAfter !== null && (now() <= Date.parse(staleAfter) || now() - indexReadAt < INDEX_AGE_MS)

/** Returns `staleAfter` of the mirror's index, which is only read again once it is stale. */
function staleAfterOf(call: FreshCall): Promise<string> | string {
  const { staleAfter } = call.mirror
  return staleAfter !== null && isValid(call) ? staleAfter : readIndex(call)
}

async function readIndex(call: FreshCall): Promise<string> {
  const { mirror, now } = call
  const index = await readDocument(call, ROUTES.index, pathsAt(mirror, requestOf(ROUTES.index, {}).paths))
  if (index === missing || !timeIn(index.staleAfter))
    throw new MirrorError(mirror.base, 'not_an_answer', 'it has no index')
  mirror.indexReadAt = now()
  mirror.staleAfter = index.staleAfter
  mirror.freshMs = timeIn(index.staleAfter) - timeIn(index.generatedAt)
  return index.staleAfter
}

/** Returns the slug that replaced the requested one; null if it is current or the document is not of an asset. */
async function successorOf(
  call: FreshCall,
  route: Route,
  values: Values,
  data: Envelope | typeof missing,
): Promise<string | null> {
  if (!isOfAsset(route)) return null
  if (data !== missing && 'replacedBy' in data && typeof data.replacedBy === 'string') return data.replacedBy
  const isOtherDocument = data === missing && route.endpoint !== ROUTES.asset.endpoint
  const profile = isOtherDocument ? await readAnywhere(call, ROUTES.asset, values) : data
  const slug: unknown = isProfile(profile) ? profile.asset.replaced_by : null
  return typeof slug === 'string' ? slug : null
}

/** Returns paths of the API as paths below the mirror's URL. */
const pathsAt = ({ prefix }: Mirror, paths: readonly string[]): readonly string[] => paths.map((path) => prefix + path)

/** Longest list of slugs that is sent: proxies refuse longer addresses. */
const MOST_SELECTION = 2000

/** Returns the request for the selected rows alone; null if none are selected, or too many. */
function selectionOf({ path, selects }: Route, { slugs }: RouteRequest): string | null {
  const list = slugs?.toSorted().join(',') ?? ''
  return list === '' || list.length > MOST_SELECTION ? null : `${path}?${selects}=${list}`
}

/** Reads the answer to a call; `missing` if the mirror has none. */
async function readAnywhere<Answer extends Envelope>(
  call: FreshCall,
  route: Route<Answer>,
  values: Values,
): Promise<Answer | typeof missing> {
  const { mirror } = call
  const request = requestOf(route, values)
  const paths = pathsAt(mirror, request.paths)
  const selection = mirror.selects === false ? null : selectionOf(route, request)
  const own = await readDocument(call, route, selection === null ? paths : [mirror.prefix + selection, ...paths])
  // Another host ignores the selection, or has no such file.
  if (selection !== null) mirror.selects = own !== missing && 'missing' in own
  return own
}

const isProfile = (data: Envelope | typeof missing): data is AssetAnswer => data !== missing && 'asset' in data
