/** Returns the SHA-256 of bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** Returns the hash of the leaves from `index * 2 ** level` on, `2 ** level` of them. */
export type HashAt = (level: number, index: number) => Uint8Array

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)]

/** Returns bytes one after the other. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Returns the hash of an entry. Formulas here: RFC 6962, section 2.1. */
export const leafHash = (entry: Uint8Array, sha256: Sha256): Uint8Array => sha256(joined(LEAF, entry))

export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(joined(NODE, left, right))

/** Returns how many of `size` leaves, at least 2, are below the left child: the largest power of two below `size`. */
function leftOf(size: number): number {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

/** Returns the hash of the leaves from `from` to before `to`. */
export function rootOf(from: number, to: number, at: HashAt, sha256: Sha256): Uint8Array {
  const size = to - from
  if (size === 0) return sha256(new Uint8Array())
  if (Number.isInteger(Math.log2(size))) return at(Math.log2(size), from / size)
  const middle = from + leftOf(size)
  return nodeHash(rootOf(from, middle, at, sha256), rootOf(middle, to, at, sha256), sha256)
}

/** Returns the hashes that lead from the leaf at `index` to the root of all leaves from `from` to before `to`. */
export function inclusionProof(
  index: number,
  [from, to]: readonly [number, number],
  at: HashAt,
  sha256: Sha256,
): readonly Uint8Array[] {
  if (to - from === 1) return []
  const middle = from + leftOf(to - from)
  return index < middle
    ? [...inclusionProof(index, [from, middle], at, sha256), rootOf(middle, to, at, sha256)]
    : [...inclusionProof(index, [middle, to], at, sha256), rootOf(from, middle, at, sha256)]
}

/** Returns the root that a proof leads to from a leaf of a tree of `size` leaves; null if the proof has another length. */
export function rootFromInclusion(
  leaf: Uint8Array,
  { index, size, proof }: { readonly index: number; readonly size: number; readonly proof: readonly Uint8Array[] },
  sha256: Sha256,
): Uint8Array | null {
  const left = [...proof]
  const from = (first: number, last: number): Uint8Array | null => {
    if (last - first === 1) return leaf
    const middle = first + leftOf(last - first)
    const other = left.pop()
    const own = index < middle ? from(first, middle) : from(middle, last)
    if (other === undefined || own === null) return null
    return index < middle ? nodeHash(own, other, sha256) : nodeHash(other, own, sha256)
  }
  const root = index < size ? from(0, size) : null
  return left.length === 0 ? root : null
}

/** Returns the hashes that show that the first `before` leaves, at least 1, of a tree of `size` leaves are a tree of its own. */
export function consistencyProof(before: number, size: number, at: HashAt, sha256: Sha256): readonly Uint8Array[] {
  const within = (from: number, to: number, isWhole: boolean): readonly Uint8Array[] => {
    if (before === to) return isWhole ? [] : [rootOf(from, to, at, sha256)]
    const middle = from + leftOf(to - from)
    return before <= middle
      ? [...within(from, middle, isWhole), rootOf(middle, to, at, sha256)]
      : [...within(middle, to, false), rootOf(from, middle, at, sha256)]
  }
  return within(0, size, true)
}

/** Returns the roots of `before` and of `size` leaves that a proof leads to; null if the proof has another length. */
export function rootsFromConsistency(
  root: Uint8Array,
  { before, size, proof }: { readonly before: number; readonly size: number; readonly proof: readonly Uint8Array[] },
  sha256: Sha256,
): readonly [Uint8Array, Uint8Array] | null {
  const left = [...proof]
  const within = (from: number, to: number, isWhole: boolean): readonly [Uint8Array, Uint8Array] | null => {
    const middle = from + leftOf(to - from)
    const other = before === to && isWhole ? root : left.pop()
    if (other === undefined) return null
    if (before === to) return [other, other]
    const own = before <= middle ? within(from, middle, isWhole) : within(middle, to, false)
    if (own === null) return null
    return before <= middle
      ? [own[0], nodeHash(own[1], other, sha256)]
      : [nodeHash(other, own[0], sha256), nodeHash(other, own[1], sha256)]
  }
  const roots = before >= 1 && before <= size ? within(0, size, true) : null
  return left.length === 0 ? roots : null
}
