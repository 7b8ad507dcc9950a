/** Content types of the files of a tree, by file extension. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.ndjson': 'application/x-ndjson; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.tlog-proof': 'text/plain; charset=utf-8',
  '.journal': 'text/plain; charset=utf-8',
  '.beancount': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.zip': 'application/zip',
  '.parquet': 'application/vnd.apache.parquet',
}
