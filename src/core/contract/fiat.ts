import names from './fiat-names.json' with { type: 'json' }

/** National currencies by ISO 4217 code: names that do not depend on a runtime's locale data. */
export const FIAT_NAMES: Readonly<Record<string, string>> = names
