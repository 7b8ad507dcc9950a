import pLimit from 'p-limit'
import type { Answer } from './answer.ts'
import type { Coding } from './coding.ts'
import { lru } from '../contract/lru.ts'

/** Maximum size of cached bodies. */
const MAX_BYTES = 32 * 2 ** 20
/** Estimated memory of an answer besides its body. */
const BYTES_BESIDE_BODY = 2048
/** Maximum number of cached URLs per encoding. Clients can request any number, so all are dropped at the limit. */
const MAX_URLS = 10_000
/** Maximum number of concurrent encodings: each takes several times the document's size, and threads are few. */
const MADE_AT_ONCE = 2

/** Cached answers of one publication, one per document and encoding, shared by all URLs of the document. */
export interface AnswerCache {
  /** Returns the cached answer of a URL. */
  at(url: string, coding: Coding | null): Answer | undefined
  /**
   * Returns the cached answer of that name, or calls `make` once for all concurrent callers. Returns null if none of them
   * is there any more when its turn comes.
   */
  named(
    name: string,
    coding: Coding | null,
    make: () => Promise<Answer>,
    isThere: () => boolean,
  ): Promise<Answer | null>
  remember(url: string, name: string, coding: Coding | null): void
}

/** An answer under way, and whether each of those who wait for it is there. */
interface Making {
  readonly answer: Promise<Answer | null>
  readonly waiting: (() => boolean)[]
}

/** Creates an empty cache. Answers are cached by name and encoding; URLs map to names. */
export function answerCache(): AnswerCache {
  const answers = lru<Answer>(MAX_BYTES)
  const making = new Map<string, Making>()
  const atOnce = pLimit(MADE_AT_ONCE)
  const names: Record<Coding | 'identity', Map<string, string>> = {
    br: new Map(),
    gzip: new Map(),
    identity: new Map(),
  }
  const keyOf = (name: string, coding: Coding | null) => `${coding ?? 'identity'} ${name}`

  async function make(key: string, given: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await given()
      if (answer.status === 200) answers.put(key, answer, (answer.body?.length ?? 0) + key.length + BYTES_BESIDE_BODY)
      return answer
    } finally {
      making.delete(key)
    }
  }
  function begin(key: string, given: () => Promise<Answer>): Making {
    const waiting: (() => boolean)[] = []
    const answer = atOnce(async () => {
      if (waiting.some((isThere) => isThere())) return make(key, given)
      making.delete(key)
      return null
    })
    return { answer, waiting }
  }
  return {
    at(url, coding) {
      const key = names[coding ?? 'identity'].get(url)
      return key === undefined ? undefined : answers.get(key)
    },
    async named(name, coding, given, isThere) {
      const key = keyOf(name, coding)
      const known = answers.get(key)
      if (known) return known
      const one = making.get(key) ?? begin(key, given)
      making.set(key, one)
      one.waiting.push(isThere)
      return one.answer
    },
    remember(url, name, coding) {
      const known = names[coding ?? 'identity']
      if (known.size >= MAX_URLS) known.clear()
      known.set(url, keyOf(name, coding))
    },
  }
}
