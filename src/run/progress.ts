import type { SourcesKind } from '../contract/product.ts'
import { visible } from '../contract/visible.ts'
import type { Report } from '../sources/collect.ts'
import type { Selected } from '../sources/selection.ts'
import type { Source } from '../sources/source.ts'
import type { Spared } from './rationed.ts'
import { sourceLine } from './report.ts'
import type { RunEvent } from './run.ts'

/** Most sources that a line names. */
const NAMED = 4

/** How far a run is, by its events. It has no clock and prints nothing. */
export class Progress {
  readonly #awaited = new Map<string, string>()
  #sources = 0
  #failed = 0
  readonly #kind: SourcesKind
  #planned = 0
  #requested = 0

  constructor(kind: SourcesKind) {
    this.#kind = kind
  }

  /** Notes an event of a run. Returns the lines that tell of it. */
  note(event: RunEvent): readonly string[] {
    switch (event.kind) {
      case 'selected':
        return selectedLines(event.selected)
      case 'spared':
        return [`Not asked: ${reasonsOf(event.spared)}`]
      case 'asking':
        return [this.#asking(event.sources)]
      case 'answered':
        this.#answered(event.report)
        return [sourceLine(event.report)]
      case 'planned':
        this.#planned = event.requests
        return [plannedLine(event)]
      case 'requested':
        this.#requested += event.requests
        return []
      default:
        return ['Composing and writing the documents']
    }
  }

  #asking(sources: readonly Pick<Source, 'id' | 'label'>[]): string {
    this.#sources = sources.length
    for (const { id, label } of sources) this.#awaited.set(id, label)
    const estimate = this.#kind === 'live' ? ' Their lists take about half a minute, and ten minutes at most.' : ''
    return `Asking ${sources.length} sources.${estimate}`
  }

  #answered({ source, error, rows, requests }: Report): void {
    this.#awaited.delete(source.id)
    if (error) this.#failed++
    // There was nothing to ask it.
    else if (rows === 0 && requests === 0) this.#sources--
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
    if (this.#requested >= this.#planned) return null
    return `  ${this.#requested} of ${this.#planned} requests for past prices made ${after}`
  }
}

const reasonsOf = (sources: readonly Spared[]): string =>
  sources.map(({ source, reason }) => `${source.label} (${reason})`).join(', ')

const selectedLines = ({ left, elsewhere }: Selected): string[] => [
  ...(left.length > 0 ? [`Left out: ${reasonsOf(left)}`] : []),
  ...elsewhere.map(({ label, host }) => `${label} refuses addresses of this country; asking ${host}`),
]

const plannedLine = ({ requests, seconds }: { readonly requests: number; readonly seconds: number }): string =>
  requests === 0
    ? 'No past prices to request.'
    : `Requesting past prices: ${requests} requests, at least ${durationOf(seconds)} at the rate limits of the sources`

const durationOf = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
