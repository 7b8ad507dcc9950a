import { PREFIX } from '../../src/contract/prefix.ts'
import { answer } from './function.ts'

/** Netlify serves existing files itself and routes every other request below these paths to this function. */
export const config = { path: [PREFIX, `${PREFIX}/*`], preferStatic: true }

const handler = (request: Request, context: { readonly ip: string }): Promise<Response> => answer(request, context.ip)
// oxlint-disable-next-line import/no-default-export -- what a function is to its runtime
export { handler as default }
