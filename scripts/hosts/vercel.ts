import { answer } from './function.ts'

/** Returns the original request. A rewrite passes its path in `at`. */
function original(request: Request): Request {
  const url = new URL(request.url)
  const at = url.searchParams.get('at')
  if (at === null) return request
  url.searchParams.delete('at')
  url.pathname = `/${at}`
  return new Request(url, request)
}

const fetch = (request: Request): Promise<Response> =>
  answer(original(request), request.headers.get('x-forwarded-for')?.split(',')[0]?.trim() ?? '')
// oxlint-disable-next-line import/no-default-export -- what a function is to its runtime
export default { fetch }
