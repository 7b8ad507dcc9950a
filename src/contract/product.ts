/** The service's name, as every answer says it. */
export const PRODUCT = 'Quotetree'

export type SourcesKind = 'live' | 'sample'

const LABELS: Readonly<Record<SourcesKind, string>> = {
  live: 'public preview',
  sample: 'sample data: real names, made-up numbers',
}

/** What the index says of a tree made from these sources. */
export const labelOf = (kind: SourcesKind): string => LABELS[kind]
