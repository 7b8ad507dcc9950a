/** Name of the service in every answer. */
export const PRODUCT = 'Quotetree'

export type SourcesKind = 'live' | 'sample'

const LABELS: Readonly<Record<SourcesKind, string>> = {
  live: 'public preview',
  sample: 'sample data: real names, made-up numbers',
}

/** Returns the label of a tree built from these sources. */
export const labelOf = (kind: SourcesKind): string => LABELS[kind]
