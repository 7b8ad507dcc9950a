import type { Endpoint } from '../endpoints/endpoint.ts'
import { PREFIX } from '../contract/words.ts'

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' and ')

/** What a program must know to read any answer, a sentence or two each. */
export const readingRules = (endpoints: readonly Endpoint[]): readonly string[] => {
  const stamped = endpoints.filter(({ stamped }) => stamped).map(({ name }) => name)
  const covering = endpoints.filter(({ covers, stamped }) => covers && !stamped).map(({ name }) => name)
  return [
    'Unknown is `null`: never `0`, never absent. Every member of a shape is always there, in the same order.',
    'Times are ISO 8601 in UTC with whole seconds. Numbers are plain decimals; units stand in the name: `_usd`, `percent_`, `_24h`.',
    '`ok` is false only together with HTTP status 400 and above; `error.code` says why.',
    '`timestamp` is the time as of which the data of this document holds. A document whose data did not change keeps its ' +
      'bytes, `ETag` and `Last-Modified`: ask again with `If-None-Match`.',
    '`sourceStatus` is `ok` or says what is wrong with the sources of this document. Data of the last good run is answered ' +
      'with 200 and `stale`.',
    `After \`staleAfter\`, in ${listed(stamped)}, the whole publication is to be taken as stale.`,
    'Members that no source told in the last run are named in `carried`, with the time they were last true.',
    'A `slug` is the name of an asset for ever. One that was given up leads to its successor by a 308, or by `replaced_by` ' +
      'where files are all there is. A symbol may be shared by several assets.',
    '`limit` keeps the first rows of a list. Hosts of files have it for 1 to 100, and for 200, 250, 500 and 1000 where the ' +
      'list is so long; a host that runs the service answers any number.',
    `Every address has a file: the path and \`.json\`, a query as one more name. \`${PREFIX}/assets?limit=10\` is ` +
      `\`${PREFIX}/assets/limit=10.json\`. On hosts of files alone, those are the addresses.`,
    `${listed(stamped)} change with every run, ${listed(covering)} whenever any document does, and all others only when ` +
      'their own data changes.',
    'Unknown query parameters are ignored; a known one with a value that is not allowed, or given twice, is a 400.',
    'Reading needs no key, is not limited, and is allowed from any origin.',
  ]
}
