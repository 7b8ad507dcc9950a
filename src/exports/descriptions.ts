import { by } from '../contract/order.ts'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import type { Attachments, Endpoint } from '../endpoints/endpoint.ts'
import { exampleIn } from '../endpoints/api-index.ts'
import { examplesOf } from './examples.ts'
import { type Schemas, schemasOf } from './json-schemas.ts'
import { layout } from './layout.ts'
import { llmsText } from './llms.ts'
import { openApi } from './openapi.ts'
import { readingRules } from './rules.ts'

const SUMMARY =
  'Crypto market data as static JSON files: listings, prices that anyone can recompute, markets, history, and the health ' +
  'of the sources.'

/** Generates the machine-readable descriptions of the API: OpenAPI, with a JSON Schema per kind of answer, and `llms.txt`. */
export const descriptions = (
  product: string,
  declared: readonly EndpointSpec[],
  endpoints: readonly Endpoint[],
): Attachments => {
  // Sorted by path for readers; the declarations are in order of composition.
  const specs = declared.toSorted(by((row) => row.path))
  let schemas: Schemas | null = null
  return (world, written) => {
    // The same for every world: a process that publishes again does not convert all schemas again.
    schemas ??= schemasOf(specs)
    const rules = readingRules(endpoints)
    const text = rules.map((rule) => `- ${rule}`).join('\n')
    const examples = examplesOf(endpoints, product, world, written)
    const requestOf = (spec: EndpointSpec) => exampleIn(spec, endpoints, world, written)
    const api = openApi({ product, summary: SUMMARY, text, specs, schemas, examples, requestOf })
    return [
      { path: OPENAPI_FILE, text: layout(api) },
      {
        path: 'llms.txt',
        text: llmsText({ product, summary: SUMMARY, rules, specs, kinds: schemas.kinds, requestOf }),
      },
    ]
  }
}
