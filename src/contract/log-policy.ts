import { SIGNATURE, type VerifierKey, parseKey } from './signed-note.ts'

type Quorum = (cosigned: ReadonlySet<VerifierKey>) => boolean

/** A key that cosigns, and where it is asked to; null: it is not asked. */
export interface Witness extends VerifierKey {
  readonly url: string | null
}

/** Whose signatures a reader asks of a checkpoint, as a C2SP `tlog-policy` file says it. */
export interface LogPolicy {
  /** Any one of these signs. */
  readonly logs: readonly VerifierKey[]
  readonly witnesses: readonly Witness[]
  readonly isQuorum: Quorum
}

/** Returns the policy in a text; null if a line of it is none. */
export function parsePolicy(text: string): LogPolicy | null {
  const [logs, witnesses, quorums]: [VerifierKey[], Witness[], Quorum[]] = [[], [], []]
  const rules = new Map<string, Quorum>([['none', () => true]])
  // A witness counts once: a name is a member of one group.
  const members = new Set(['none'])
  const define = (name: string, rule: Quorum): boolean => !rules.has(name) && rules.set(name, rule).has(name)
  const lines: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
    log([text = '']) {
      const key = parseKey(text)
      return key?.type === SIGNATURE.ed25519 && logs.push(key) > 0
    },
    witness([name = '', text = '', url = null]) {
      const key = parseKey(text)
      const witness = key && { ...key, url }
      return witness !== null && witnesses.push(witness) > 0 && define(name, (cosigned) => cosigned.has(witness))
    },
    group([name = '', least = '', ...names]) {
      const own = names.flatMap((one) => (members.has(one) ? [] : (rules.get(one) ?? [])))
      for (const one of names) members.add(one)
      const count = least === 'any' ? 1 : least === 'all' ? names.length : Number(/^[1-9]\d*$/.exec(least)?.[0])
      const isRight = own.length === names.length && count >= 1 && count <= names.length
      return isRight && define(name, (cosigned) => own.filter((rule) => rule(cosigned)).length >= count)
    },
    quorum: ([name = '']) => quorums.push(rules.get(name) ?? (() => false)) === 1 && rules.has(name),
  }
  const isRight = text.split('\n').every((line) => {
    const [kind, ...words] = line.split(/[ \t]+/).filter(Boolean)
    return kind === undefined || kind.startsWith('#') || lines[kind]?.(words) === true
  })
  const isQuorum = quorums.at(0)
  return isRight && isQuorum ? { logs, witnesses, isQuorum } : null
}
