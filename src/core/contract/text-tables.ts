export interface TextTable {
  /** Relative to the prefix of the API. */
  readonly path: string
  readonly contentType: string
  readonly description: string
}

const CSV = 'RFC 4180, with a header. Lists in a cell are separated by spaces.'
const NDJSON = 'One JSON object per line, with the members of the JSON rows.'

export const TEXT_TABLES = {
  assetsCsv: { path: '/assets.csv', contentType: 'text/csv', description: `The rows of /assets as CSV: ${CSV}` },
  marketsCsv: {
    path: '/markets.csv',
    contentType: 'text/csv',
    description: `The rows of /markets as CSV, without sparklines: ${CSV}`,
  },
  assetsNdjson: {
    path: '/assets.ndjson',
    contentType: 'application/x-ndjson',
    description: `The rows of /assets as NDJSON. ${NDJSON}`,
  },
  marketsNdjson: {
    path: '/markets.ndjson',
    contentType: 'application/x-ndjson',
    description: `The rows of /markets as NDJSON. ${NDJSON}`,
  },
} as const satisfies Readonly<Record<string, TextTable>>
