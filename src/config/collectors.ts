import * as z from 'zod'

/** Most jobs of a matrix of GitHub Actions. */
const MOST_COLLECTORS = 256

/** A machine that records sources, for a build elsewhere. */
const Collector = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,40}$/),
  /** Label of the machine on GitHub. */
  runs_on: z.string().min(1).max(100),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .default(null),
  /** Ids of its sources; null: those that no other collector has. */
  sources: z.array(z.string()).min(1).nullable().default(null),
})
export type Collector = z.infer<typeof Collector>

const areDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length

/** Machines that record: each source is recorded once, and at most one machine takes the rest. */
export const Collectors = z
  .array(Collector)
  .min(1)
  .max(MOST_COLLECTORS)
  .refine((all) => areDistinct(all.map(({ name }) => name)))
  .refine((all) => areDistinct(all.flatMap(({ sources }) => sources ?? [])))
  .refine((all) => all.filter(({ sources }) => sources === null).length <= 1)

/** Returns the sources of a collector, of these, in their order. */
export function sourcesOfCollector(collector: Collector, all: readonly Collector[], ids: readonly string[]): string[] {
  const others = new Set(all.flatMap(({ sources }) => sources ?? []))
  const { sources } = collector
  return ids.filter((id) => sources?.includes(id) ?? !others.has(id))
}

/** Returns the collectors as a matrix of GitHub Actions. */
export const matrixOf = (all: readonly Collector[], ids: readonly string[]) => ({
  include: all.map((collector) => ({
    collector: collector.name,
    runs_on: collector.runs_on,
    sources: sourcesOfCollector(collector, all, ids).join(','),
  })),
})
