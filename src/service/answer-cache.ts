import pLimit from 'p-limit'
import { lru } from '../contract/lru.ts'
import type { Answer } from './answer.ts'
import type { Coding } from './coding.ts'

/** Maximum size of cached bodies. */
const MAX_BYTES = 32 * 2 ** 20
/** Maximum size of the requests whose answers are known. Clients can send any number. */
const MAX_REQUEST_BYTES = 2 * 2 ** 20
/** Estimated memory of an entry besides its body. */
const ENTRY_BYTES = 2048
/** Maximum number of concurrent encodings: each takes several times the document's size, and threads are few. */
const MADE_AT_ONCE = 2

/** Cached answers of one publication, one per document and encoding, shared by all requests for the document. */
export interface AnswerCache {
  /** Returns the cached answer to a request. */
  at(request: string): Answer | undefined
  /**
   * Returns the cached answer of that name, or calls `make` once for all concurrent callers. Returns null to a caller that
   * is not there any more when its turn comes.
   */
  named(
    name: string,
    coding: Coding | null,
    make: () => Promise<Answer>,
    isThere: () => boolean,
  ): Promise<Answer | null>
  remember(request: string, name: string, coding: Coding | null): void
}

/** Creates an empty cache. Answers are cached by name and encoding; requests map to names. */
export function answerCache(): AnswerCache {
  const answers = lru<Answer>(MAX_BYTES)
  const requests = lru<string>(MAX_REQUEST_BYTES)
  const making = new Map<string, Promise<Answer>>()
  const atOnce = pLimit(MADE_AT_ONCE)
  const keyOf = (name: string, coding: Coding | null) => `${coding} ${name}`

  async function made(key: string, make: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await make()
      if (answer.status === 200) answers.put(key, answer, (answer.body?.length ?? 0) + key.length + ENTRY_BYTES)
      return answer
    } finally {
      making.delete(key)
    }
  }
  function shared(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const answer = making.get(key) ?? made(key, make)
    making.set(key, answer)
    return answer
  }
  return {
    at(request) {
      const key = requests.get(request)
      return key === undefined ? undefined : answers.get(key)
    },
    async named(name, coding, make, isThere) {
      const key = keyOf(name, coding)
      return (
        answers.get(key) ?? atOnce(async () => (isThere() ? (answers.get(key) ?? (await shared(key, make))) : null))
      )
    },
    remember: (request, name, coding) => requests.put(request, keyOf(name, coding), request.length + ENTRY_BYTES / 10),
  }
}
