/** Pause of a mirror after a failure: other mirrors are preferred. */
const PAUSE_MS = 60_000

/** A host of the tree, with its last failure and the freshness of its snapshot. */
export interface Mirror {
  /** Without a trailing slash. */
  readonly base: string
  /** Path of the API below it, without a trailing slash. */
  readonly prefix: string
  /** In ms since 1970. */
  failedAt: number
  /** `staleAfter` of its `/head`; null until that has been read. */
  staleAfter: string | null
  /** When that was last read, in ms since 1970. */
  readAt: number
}

const CDNS = ['https://cdn.jsdelivr.net/npm/', 'https://unpkg.com/']

/** Returns an address, followed by those of the same package at other CDNs for npm. */
function copiesOf(address: string): readonly string[] {
  const base = ['npm:', ...CDNS].find((one) => address.startsWith(one))
  const all = base ? CDNS.map((cdn) => cdn + address.slice(base.length)) : [address]
  return all.toSorted((a, b) => +(b === address) - +(a === address))
}

/** Creates the mirrors at some addresses, copies last. @throws TypeError that says in a sentence how to write the address */
export function mirrorsAt(addresses: string | readonly string[] | undefined, prefix: string): readonly Mirror[] {
  const path = `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`
  const given = [addresses ?? []].flat().map((address) => copiesOf(address.trim()))
  if (given.length === 0) throw new TypeError('mirrors needs an address, such as https://you.github.io/quotetree.')
  const [own, others] = [given.map(([first = '']) => first), given.flatMap(([, ...copies]) => copies)]
  return [...own, ...others].map((address) => ({
    base: baseOf(address, path),
    prefix: path,
    failedAt: -Infinity,
    staleAfter: null,
    readAt: 0,
  }))
}

function baseOf(address: string, prefix: string): string {
  const isRelative = /^(\.{0,2}\/|\.{1,2}$)/.test(address)
  if (address === '')
    throw new TypeError('mirrors has an empty address: write one such as https://you.github.io/quotetree.')
  if (!isRelative && !/^[a-z][a-z\d+.-]*:\/\//i.test(address)) {
    const scheme = /^(localhost|127\.|\[)/.test(address) ? 'http' : 'https'
    const rest = address.replace(/^[a-z]*:?\/+/i, '')
    throw new TypeError(`mirrors has "${address}", which lacks its scheme: write ${scheme}://${rest}.`)
  }
  if (!URL.canParse(address, globalThis.location?.href))
    throw new TypeError(`mirrors has "${address}", which is not an address: write one such as https://you.github.io.`)
  const base = new URL(address, globalThis.location?.href).href.replace(/\/+$/, '')
  if (base.endsWith(prefix))
    throw new TypeError(`mirrors has "${address}": leave out ${prefix}, and write ${base.slice(0, -prefix.length)}.`)
  return base
}

/** Returns the mirrors in order of preference, those that are stale or have just failed last. */
export function inOrder(mirrors: readonly Mirror[], now: number): readonly Mirror[] {
  const rank = ({ failedAt, staleAfter }: Mirror) =>
    now - failedAt < PAUSE_MS ? 2 : Number(staleAfter !== null && now > Date.parse(staleAfter))
  return mirrors.toSorted((a, b) => rank(a) - rank(b))
}
