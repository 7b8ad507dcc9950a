import { PREFIX } from '../../src/contract/words.ts'
import { answer } from './function.ts'

/** Netlify sends a file where there is one, and every other request below these paths here. */
export const config = { path: [PREFIX, `${PREFIX}/*`], preferStatic: true }

const handler = (request: Request, context: { readonly ip: string }): Promise<Response> => answer(request, context.ip)
// oxlint-disable-next-line import/no-default-export -- what a function is to its runtime
export { handler as default }
