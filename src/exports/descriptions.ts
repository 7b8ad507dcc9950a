import { by } from '../core/contract/order.ts'
import { type EndpointSpec, type Key, fileOf, pickingParameter } from '../core/contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../core/contract/paths.ts'
import type { Attachments, Endpoint } from '../core/endpoints/endpoint.ts'
import { exampleIn, listPath } from '../core/endpoints/api-index.ts'
import { endpointsOf } from '../core/endpoints/table.ts'
import { type Described, ERROR_SCHEMA, answerName, bodyName, openApi, schemaFile, schemaFiles } from './openapi.ts'
import { LIST_SIZES } from '../core/contract/limit-variants.ts'
import { FOREIGN_PARAMETERS } from '../core/contract/parameters.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'

const SUMMARY =
  'Crypto market data as static JSON files: listings, prices that anyone can recompute, markets, history, and the health ' +
  'of the sources.'

export const descriptions: Attachments = (world, written) => {
  const { product, ecosystem } = world.site
  const { answered, published } = endpointsOf(ecosystem)
  // Sorted by path for readers; the declarations are in order of composition.
  const specs = answered.toSorted(by((row) => row.path))
  const rules = readingRules(published, specs)
  const text = rules.map((rule) => `- ${rule}`).join('\n')
  const requestOf = (spec: EndpointSpec) => exampleIn(spec, published, world, written)
  const described = { product, summary: SUMMARY, text, specs, requestOf }
  const api = openApi(described)
  return [
    { path: OPENAPI_FILE, text: api },
    ...schemaFiles(specs, api),
    { path: 'llms.txt', text: llmsText(described) },
  ]
}

const AND = new Intl.ListFormat('en', { style: 'long', type: 'conjunction' })
const listed = (names: readonly string[]): string => AND.format(names.map((name) => `\`${name}\``))

const readingRules = (endpoints: readonly Endpoint[], specs: readonly EndpointSpec[]): readonly string[] => {
  const stamped = endpoints.filter(({ stamped }) => stamped).map(({ name }) => name)
  const covering = endpoints.filter(({ covers, stamped }) => covers && !stamped).map(({ name }) => name)
  const computed = specs.filter((spec) => spec.isDerived || pickingParameter(spec)).map(({ path }) => path)
  return [
    'Unknown values are `null`, never `0` or absent. Every required member of a schema is always present, in the same order.',
    'Times are ISO 8601 in UTC with whole seconds. Numbers are plain decimals; names include the unit: `_usd`, `percent_`, `_24h`.',
    '`ok` is false if and only if the HTTP status is 400 or above. `error.code` has the reason.',
    '`timestamp` is the time of the data in this document. A document whose data did not change keeps its bytes, `ETag` ' +
      'and `Last-Modified`: use `If-None-Match` for further requests.',
    '`sourceStatus` is the status of the sources behind this document; `stale`: none answered, and its values are of an ' +
      'earlier run. Without new runs, documents stay as they are.',
    `The whole snapshot is stale after \`staleAfter\` in ${listed(stamped)}.`,
    '`carried` lists the members that no source reported in the last run, with the time of their last value.',
    'A `slug` identifies an asset permanently. A retired slug redirects to its replacement with a 308; on static hosts, ' +
      '`replaced_by` names the replacement. Several assets may share a symbol.',
    `\`limit\` returns the first rows of a list. Static hosts support ${LIST_SIZES.join(', ')}, up to the length of the list, and 10 for every list. Hosts that ` +
      'run the service support any number.',
    `A URL has a file: the path with \`.json\`, and a query as a further path segment. \`${PREFIX}/assets?limit=10\` is ` +
      `\`${PREFIX}/assets/limit=10.json\`. Static hosts only serve the file names, and ignore a query behind them. ` +
      `Only hosts that run the service answer ${listed([...computed, 'ids', 'vs', 'format'])}, and other values of \`limit\`.`,
    `${listed(stamped)} change with every run. ${listed(covering)} change whenever any document does. All others change only ` +
      'with their own data.',
    'A known parameter with an invalid value, or given twice, results in a 400. So do ' +
      `${listed(FOREIGN_PARAMETERS)} where an endpoint does not have them, on hosts that run the service: the ` +
      'message says what to use. Other unknown query parameters are ignored.',
    'Reading needs no key, has no rate limit, and is allowed from any origin.',
  ]
}

/** Returns a compact description of the API in the format of https://llmstxt.org. */
function llmsText({ product, summary, text, specs, requestOf }: Described): string {
  const endpoints = specs.map((spec) => {
    const { method, path, description } = spec
    const schema = ` [Schema](${schemaFile(answerName(spec))}).`
    return `- [${method} ${PREFIX}${path}](${linkOf(spec, specs, requestOf(spec))}): ${description}${parametersOf(spec)}${schema}`
  })
  return `# ${product}

> ${summary}

What to know before reading:

${text}

## Endpoints

${endpoints.join('\n')}

## Descriptions

- [OpenAPI 3.1](${OPENAPI_FILE}): every endpoint with its parameters, statuses, headers and examples.
- [Schema of errors](${schemaFile(ERROR_SCHEMA)}): every answer with status 400 and above.

## In other forms

- [Assets as CSV](${API_FOLDER}/assets.csv): the list in short; unknown is empty.
- [Markets as CSV](${API_FOLDER}/markets.csv): the full feed.
- [Assets as NDJSON](${API_FOLDER}/assets.ndjson): a row a line, and nothing around them.
- [Markets as NDJSON](${API_FOLDER}/markets.ndjson): the full feed.
- [Changes as Atom](feed.xml): what happened lately.
- [Changes as JSON Feed](feed.json): the same.
`
}

/** Returns a link that works on every host: the schema of the request body, the file of an example, or else the answer's schema. */
function linkOf(spec: EndpointSpec, specs: readonly EndpointSpec[], example: Key | null): string {
  const body = bodyName(spec)
  if (body !== undefined) return schemaFile(body)
  if (example !== null) return fileOf(spec, example)
  const list = specs.find(({ method, path }) => method === 'GET' && path === listPath(spec))
  return list ? fileOf(list, {}) : schemaFile(answerName(spec))
}

function parametersOf({ parameters }: EndpointSpec): string {
  const each = Object.entries(parameters).map(([name, { allowed, default: usual }]) => {
    const values = typeof allowed === 'string' ? allowed : allowed.join(', ')
    return `\`${name}\`: ${values}${usual === undefined ? '' : `, ${usual} by default`}`
  })
  return each.length > 0 ? ` ${each.join('; ')}.` : ''
}
