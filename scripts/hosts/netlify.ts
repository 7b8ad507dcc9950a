import { answer } from './function.ts'

const handler = (request: Request, context: { readonly ip: string }): Promise<Response> => answer(request, context.ip)
// oxlint-disable-next-line import/no-default-export -- what a function is to its runtime
export { handler as default }
