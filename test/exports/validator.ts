import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Says what is wrong with a value, in few lines; null where nothing is. */
export type Check = (value: unknown) => string | null

const DOCUMENT = 'https://tests.example/document'

/** JSON Schema 2020-12 by another hand than the one that made the schemas: checks of the schemas at places of a document. */
export function validators(document: object): (place: string) => Check {
  // The document around the schemas is no schema, so strictness would stumble over it.
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addSchema({ $id: DOCUMENT, ...document })
  return (place) => {
    const validate = ajv.getSchema(`${DOCUMENT}${place}`)
    if (!validate) throw new Error(`there is no schema at ${place}`)
    return (value) => (validate(value) === true ? null : told(validate.errors ?? []))
  }
}

const told = (errors: readonly ErrorObject[]): string =>
  errors
    .map(({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('\n')
