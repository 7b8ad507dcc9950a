import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Says what is wrong with a value, in few lines; null where nothing is. */
export type Check = (value: unknown) => string | null

/** JSON Schema 2020-12 by another hand than the one that made the schemas. */
export function validator(schema: object, strict = true): Check {
  // "One of these members" is said with `required` alone, beside the properties.
  const ajv = new Ajv2020({ strict, strictRequired: false, allowUnionTypes: true })
  formats.default(ajv)
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? null : told(validate.errors ?? []))
}

const told = (errors: readonly ErrorObject[]): string =>
  errors
    .map(({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('\n')
