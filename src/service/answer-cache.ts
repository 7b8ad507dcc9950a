import pLimit from 'p-limit'
import type { Answer } from './answer.ts'
import type { Coding } from './coding.ts'
import { lru } from './lru.ts'

/** Most bytes of bodies that are kept in memory. */
const MAX_BYTES = 32 * 2 ** 20
/** What an answer takes besides its body. */
const BYTES_BESIDE_BODY = 2048
/** Addresses that are remembered for each coding. Anyone can ask for any number, so they are forgotten all at once. */
const MAX_URLS = 10_000
/** Documents made at once: each takes several times its size, and the threads that encode are few. */
const MADE_AT_ONCE = 2

/** Answers of one publication. Those of one document and coding are one, whatever addresses lead to it. */
export interface AnswerCache {
  /** The answer to an address that was asked for before and {@link remember}ed. */
  at(url: string, coding: Coding | null): Answer | undefined
  /** The answer of that name: the one that is kept, or else what `make` gives, once for all who wait for it. */
  named(name: string, coding: Coding | null, make: () => Promise<Answer>): Promise<Answer>
  remember(url: string, name: string, coding: Coding | null): void
}

/** An empty cache. Answers are kept by name and coding; of addresses it keeps only which name they lead to. */
export function answerCache(): AnswerCache {
  const answers = lru<Answer>(MAX_BYTES)
  const making = new Map<string, Promise<Answer>>()
  const atOnce = pLimit(MADE_AT_ONCE)
  const names: Record<Coding | 'identity', Map<string, string>> = {
    br: new Map(),
    gzip: new Map(),
    identity: new Map(),
  }
  const keyOf = (name: string, coding: Coding | null) => `${coding ?? 'identity'} ${name}`

  async function make(key: string, given: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await atOnce(given)
      if (answer.status === 200) answers.put(key, answer, (answer.body?.length ?? 0) + BYTES_BESIDE_BODY)
      return answer
    } finally {
      making.delete(key)
    }
  }
  return {
    at(url, coding) {
      const key = names[coding ?? 'identity'].get(url)
      return key === undefined ? undefined : answers.get(key)
    },
    async named(name, coding, given) {
      const key = keyOf(name, coding)
      const known = answers.get(key) ?? making.get(key)
      if (known) return known
      const made = make(key, given)
      making.set(key, made)
      return made
    },
    remember(url, name, coding) {
      const known = names[coding ?? 'identity']
      if (known.size >= MAX_URLS) known.clear()
      known.set(url, keyOf(name, coding))
    },
  }
}
