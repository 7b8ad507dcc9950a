/** Name of the service in every answer, unless the publisher gives it another. */
export const PRODUCT = 'Quotetree'

export type SourcesKind = 'live' | 'sample'

const LABELS: Readonly<Record<SourcesKind, string>> = {
  live: 'public preview',
  sample: 'sample data: real names, made-up numbers',
}

/** Returns the label of a tree built from these sources. Sample data always says so, whatever the publisher's own label. */
export const labelOf = (kind: SourcesKind, own: string | null = null): string =>
  kind === 'live' && own !== null ? own : LABELS[kind]

export const isSampleLabel = (label: string): boolean => label.startsWith('sample')

/** The publisher's own assets: those of the registry with an `ecosystem`. */
export interface Ecosystem {
  readonly name: string
  readonly title: string
}

export const ECOSYSTEM = { name: 'tnk', title: 'TNK, TAP, DMT-NAT and BX' } as const satisfies Ecosystem

export const isBuiltIn = ({ name, title }: Ecosystem): boolean => name === ECOSYSTEM.name && title === ECOSYSTEM.title
