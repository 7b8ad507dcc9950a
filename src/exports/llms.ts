import { type EndpointSpec, exampleKey, fileOf } from '../core/contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../core/contract/paths.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { type Described, answerName, bodyName } from './openapi.ts'
import { ERROR_SCHEMA, schemaFile } from './schema-files.ts'

/** Input of {@link llmsText}. */
interface LlmsContent extends Pick<Described, 'product' | 'summary' | 'specs' | 'requestOf'> {
  readonly rules: readonly string[]
}

/** Returns a compact description of the API in the format of https://llmstxt.org. */
export function llmsText(content: LlmsContent): string {
  const { product, summary, rules, specs } = content
  const endpoints = specs.map((spec) => {
    const { method, path, description } = spec
    const schema = ` [Schema](${schemaFile(answerName(spec))}).`
    return `- [${method} ${PREFIX}${path}](${linkOf(spec, content)}): ${description}${parametersOf(spec)}${schema}`
  })
  return `# ${product}

> ${summary}

What to know before reading:

${rules.map((rule) => `- ${rule}`).join('\n')}

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
function linkOf(spec: EndpointSpec, { specs, requestOf }: LlmsContent): string {
  const body = bodyName(spec)
  if (body !== undefined) return schemaFile(body)
  const example = requestOf(spec)
  for (const one of [spec, ...specs]) {
    const key = example !== null && one.method === 'GET' ? exampleKey({ ...one, example }) : null
    if (key) return fileOf(one, key)
  }
  return schemaFile(answerName(spec))
}

function parametersOf({ parameters }: EndpointSpec): string {
  const each = Object.entries(parameters).map(([name, { allowed, default: usual }]) => {
    const values = typeof allowed === 'string' ? allowed : allowed.join(', ')
    return `\`${name}\`: ${values}${usual === undefined ? '' : `, ${usual} by default`}`
  })
  return each.length > 0 ? ` ${each.join('; ')}.` : ''
}
