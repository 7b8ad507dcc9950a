import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

/** Returns the hash of the leaves from `index * 2 ** level` on, `2 ** level` of them. */
export type HashAt = (level: number, index: number) => Uint8Array

const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)]

/** Returns the hash of an entry. Formulas here: RFC 6962, section 2.1. */
export const leafHash = (entry: Uint8Array): Uint8Array => sha256(concatBytes(LEAF, entry))

export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concatBytes(NODE, left, right))

/** Returns where the right child of the leaves begins: after the largest power of two of them that is not all. */
const middleOf = (from: number, to: number): number => from + 2 ** Math.floor(Math.log2(to - from - 1))

/** Returns the hash of the leaves from `from` to before `to`. */
export function rootOf(from: number, to: number, at: HashAt): Uint8Array {
  const size = to - from
  if (size === 0) return sha256(new Uint8Array())
  if (Number.isInteger(Math.log2(size))) return at(Math.log2(size), from / size)
  const middle = middleOf(from, to)
  return nodeHash(rootOf(from, middle, at), rootOf(middle, to, at))
}

/**
 * Returns the hash of the leaves from `from` to before `to`, from that of one of them and those beside its way up: what proves
 * that it is included.
 *
 * @param beside returns the hash of other leaves. It is asked from the leaf up.
 */
export function rootFrom(
  { leaf, index }: { readonly leaf: Uint8Array; readonly index: number },
  [from, to]: readonly [number, number],
  beside: (from: number, to: number) => Uint8Array,
): Uint8Array {
  if (to - from === 1) return leaf
  const middle = middleOf(from, to)
  const isLeft = index < middle
  const own = rootFrom({ leaf, index }, isLeft ? [from, middle] : [middle, to], beside)
  const other = isLeft ? beside(middle, to) : beside(from, middle)
  return isLeft ? nodeHash(own, other) : nodeHash(other, own)
}

/** Returns the hashes that show that the first `before` leaves, at least 1, of all are a tree of their own. */
export function consistencyProof(
  before: number,
  [from, to]: readonly [number, number],
  at: HashAt,
  isAll = true,
): readonly Uint8Array[] {
  if (before === to) return isAll ? [] : [rootOf(from, to, at)]
  const middle = middleOf(from, to)
  return before <= middle
    ? [...consistencyProof(before, [from, middle], at, isAll), rootOf(middle, to, at)]
    : [...consistencyProof(before, [middle, to], at, false), rootOf(from, middle, at)]
}
