import type * as z from 'zod'
import { KEPT } from '../changes/record.ts'
import type { ClosesMembers } from '../contract/closes.ts'
import type { RunDay } from '../contract/collector.ts'
import { dayOf } from '../contract/time.ts'
import { minutesByDay } from '../feed/freshness.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { EventsByDay } from './change-figures.ts'
import type { Comparison } from './deviation.ts'

/** What else a tree has of its runs. */
interface Traces {
  /** Time of the last run in ms since 1970. */
  readonly now: number
  readonly events: EventsByDay
  /** The list of days with closes; null: the tree has none. */
  readonly closes: z.infer<z.ZodObject<typeof ClosesMembers>> | null
}

/**
 * Compares the runs by day with the half hours in which the closes saw a run and with the events of gaps, where the tree
 * still has them. The first day may be incomplete. Runs that published nothing leave no other trace.
 */
export function compareRunDays(runs: readonly RunDay[], { now, events, closes }: Traces, comparison: Comparison): void {
  const today = dayOf(now)
  const days = runs.map(({ day }) => day)
  const [first = today, ...later] = days
  const seen = new Map(closes?.rows.map((row) => [row.day, row.basis === 'runs' ? row.runs : 0]))
  const withRuns = [...seen].flatMap(([day, count]) => (count > 0 && day > first && day < today ? [day] : []))
  comparison.same(LAYOUT.collector, 'runs', {
    published: days,
    recomputed: [...new Set([first, ...later, ...withRuns, today])].toSorted(),
    rule: 'every day on which the closes saw a run and that of the snapshot, each once, oldest first',
  })
  const gaps = gapMinutes(events)
  for (const [index, row] of runs.entries()) {
    const { day, published, gap_minutes } = row
    if (index === 0) continue
    const place = `runs[${index}]`
    comparison.membersOf(
      LAYOUT.collector,
      row,
      place,
    )(
      { published: Math.max(published, seen.get(day) ?? 0) },
      'at least one for each half hour in which the closes saw a run',
    )
    if (!gaps.isWhole(day)) continue
    const minutes = gaps.byDay.get(day) ?? 0
    // A run that finds damaged events counts on without them.
    const note = gap_minutes > minutes ? ({ severity: 'notice' } as const) : {}
    const compare = comparison.membersOf(LAYOUT.collector, row, place, note)
    compare({ gap_minutes: minutes }, 'the minutes between the times of the events of gaps')
  }
}

/** Returns the minutes of gaps by day, and whether the tree still has all events of gaps in a day. */
function gapMinutes(events: EventsByDay) {
  const days = [...events.keys()].toSorted()
  const oldest = days.length < KEPT.days ? '' : (days[0] ?? '')
  const cut = days.findLast((day) => (events.get(day)?.length ?? 0) >= KEPT.perDay) ?? ''
  const byDay = new Map<string, number>()
  for (const { kind, before, after } of [...events.values()].flat())
    if (kind === 'gap')
      for (const [day, minutes] of minutesByDay(Date.parse(before ?? ''), Date.parse(after ?? '')))
        byDay.set(day, (byDay.get(day) ?? 0) + minutes)
  return { byDay, isWhole: (day: string) => day >= oldest && day > cut }
}
