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
    .map((metric) => ({ ...metric, samples: metric.samples.filter(({ value }) => value !== null) }))
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) =>
      [
        `# HELP quotetree_${name} ${help}`,
        `# TYPE quotetree_${name} gauge`,
        ...samples.map(({ labels, value }) => `quotetree_${name}${labelsOf(labels)} ${value}`),
        '',
      ].join('\n'),
    )
    .join('')

export const secondsOf = (at: string | null): number | null => (at === null ? null : Date.parse(at) / 1000)
