import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, NotFoundError } from '../client/errors.ts'

/** Parts of a page that could not be loaded, as the reader knows them. The rest of the page is shown. */
export class PartsMissing extends Error {
  constructor(names: readonly string[]) {
    super(`Not loaded: ${names.join(', ')}. The site may be in the middle of an update.`)
  }
}

/** Returns the message of an error for the reader. */
function sentenceOf(error: unknown): string {
  if (error instanceof NotFoundError)
    return 'The site has no document of this name. It may have been removed, or the site is in the middle of an update.'
  if (error instanceof ApiError || error instanceof PartsMissing) return error.message
  return 'The data could not be loaded. The site may be unreachable or in the middle of an update.'
}

/** Shown where content could not be loaded. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <div class="empty" role="alert">
    <p>{sentenceOf(error)}</p>
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  </div>
)

export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
)

interface LoadedProps<Data> {
  readonly load: (signal: AbortSignal) => Promise<Data>
  /** Another value loads again. The last content stays until then. */
  readonly on?: unknown
  /** Shown until the first content is there. */
  readonly before?: ComponentChildren
  readonly children: (data: Data) => ComponentChildren
}

type Outcome<Data> = { readonly data: Data } | { readonly error: unknown } | null

/** Content that is loaded when it is first shown, and again after a failure. The last load wins, whatever arrives later. */
export function Loaded<Data>({ load, on, before = <Loading />, children }: LoadedProps<Data>) {
  const [outcome, setOutcome] = useState<Outcome<Data>>(null)
  const [attempt, setAttempt] = useState(0)
  const [isBusy, setBusy] = useState(true)
  useEffect(() => {
    const running = new AbortController()
    const settle = (next: Outcome<Data>) => {
      if (running.signal.aborted) return
      setOutcome(next)
      setBusy(false)
    }
    setBusy(true)
    load(running.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error }),
    )
    return () => running.abort()
  }, [on, attempt])
  return (
    <div aria-busy={isBusy ? 'true' : undefined}>
      {outcome === null ? (
        before
      ) : 'error' in outcome ? (
        <Failure error={outcome.error} retry={() => setAttempt(attempt + 1)} />
      ) : (
        children(outcome.data)
      )}
    </div>
  )
}
