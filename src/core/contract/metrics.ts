/** The figures of a tree for Prometheus, relative to the tree's root. The server adds what only a clock knows. */
export const METRICS_FILE = 'metrics.txt'

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A metric: every one is a gauge, because a tree has no process that could count. */
interface Metric {
  /** Without the prefix, with its unit at the end: `snapshot_age_seconds`. */
  readonly name: string
  readonly help: string
  /** Those of an unknown value are left out. */
  readonly samples: readonly { readonly value: number | null; readonly labels?: Readonly<Record<string, string>> }[]
}

export const oneMetric = (name: string, help: string, value: number | null): Metric => ({
  name,
  help,
  samples: [{ value }],
})

const labelsOf = (labels: Readonly<Record<string, string>> = {}): string => {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

export const metricsText = (metrics: readonly Metric[]): string =>
  metrics
    .map(({ name, help, samples }) => {
      const known = samples.filter(({ value }) => value !== null)
      const lines = known.map(({ labels, value }) => `quotetree_${name}${labelsOf(labels)} ${value}\n`)
      const head = `# HELP quotetree_${name} ${help}\n# TYPE quotetree_${name} gauge\n`
      return known.length === 0 ? '' : head + lines.join('')
    })
    .join('')

export const secondsOf = (at: string | null): number | null => (at === null ? null : Date.parse(at) / 1000)
