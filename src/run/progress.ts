import type { SourcesKind } from '../contract/product.ts'
import { visible } from '../contract/visible.ts'
import type { Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'

/** Past prices that a run requests, and how long the paces of the sources make it take at least. */
export interface HistoryPlan {
  readonly requests: number
  readonly seconds: number
}

/** Most sources that a line names. */
const NAMED = 4

/** How far a run is, by its events. It has no clock and prints nothing. */
export class Progress {
  readonly #awaited = new Map<string, string>()
  #sources = 0
  #failed = 0
  #plan: HistoryPlan | null = null
  #requested = 0

  /** Notes the sources that are asked. Returns a line that says so, for live ones with an estimate. */
  asking(sources: readonly Pick<Source, 'id' | 'label'>[], kind: SourcesKind): string {
    this.#sources = sources.length
    for (const { id, label } of sources) this.#awaited.set(id, label)
    const estimate = kind === 'live' ? ' Their lists take about half a minute, and ten minutes at most.' : ''
    return `Asking ${sources.length} sources.${estimate}`
  }

  answered({ source, error, rows, requests }: Pick<Report, 'source' | 'error' | 'rows' | 'requests'>): void {
    this.#awaited.delete(source.id)
    if (error) this.#failed++
    // There was nothing to ask it.
    else if (rows === 0 && requests === 0) this.#sources--
  }

  /** Notes the plan for past prices. Returns a line with an estimate. */
  planned(plan: HistoryPlan): string {
    this.#plan = plan
    const { requests, seconds } = plan
    return requests === 0
      ? 'No past prices to request.'
      : `Requesting past prices: ${requests} requests, at least ${durationOf(seconds)} at the rate limits of the sources`
  }

  /** Notes requests for past prices that were made. */
  requested(count: number): void {
    this.#requested += count
  }

  /** Returns a line about what the run waits for; null where it waits for nothing. */
  waiting(elapsedMs: number): string | null {
    const after = `after ${Math.round(elapsedMs / 1000)} s`
    if (this.#awaited.size > 0) {
      const names = [...this.#awaited.values()]
      const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
      const failed = this.#failed > 0 ? `, ${this.#failed} failed` : ''
      const done = `${this.#sources - names.length - this.#failed} of ${this.#sources} sources answered${failed} ${after}`
      return visible(`  ${done}; waiting for ${names.slice(0, NAMED).join(', ')}${more}`)
    }
    if (this.#plan === null || this.#requested >= this.#plan.requests) return null
    return `  ${this.#requested} of ${this.#plan.requests} requests for past prices made ${after}`
  }
}

const durationOf = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
