import { DeliveryError } from './delivery-error.ts'

/** A repository in GitHub's REST API, and the token of the job. */
export interface GitHub {
  /** `https://api.github.com`, or a test server. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly token: string
  readonly ask: typeof fetch
}

interface Sent {
  readonly body?: Uint8Array | object | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks GitHub for a path of the repository, or for an address. @throws DeliveryError if it cannot be reached */
export async function askGithub(
  { api, repository, token, ask }: GitHub,
  method: string,
  path: string,
  { body, headers }: Sent = {},
): Promise<Response> {
  const isBytes = body instanceof Uint8Array
  const sent = isBytes ? new Uint8Array(body) : body && JSON.stringify(body)
  const url = /^https?:/.test(path) ? path : `${api}/repos/${repository}/${path}`
  return ask(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'quotetree',
      ...(isBytes ? { 'content-type': 'application/octet-stream' } : {}),
      ...headers,
    },
    ...(sent ? { body: sent } : {}),
  }).catch((cause: unknown) => {
    throw new DeliveryError(`GitHub: ${method} ${path} failed: GitHub cannot be reached. Run again.`, { cause })
  })
}

/** Returns what GitHub answers as JSON. @throws DeliveryError if it does not answer, or refuses */
export async function github(at: GitHub, method: string, path: string, body?: object): Promise<unknown> {
  const response = await askGithub(at, method, path, { body })
  const text = await response.text()
  if (response.ok) return text === '' ? null : JSON.parse(text)
  throw new DeliveryError(
    `GitHub: ${method} ${path} failed with status ${response.status}. Check the permissions of the job's token.`,
  )
}
