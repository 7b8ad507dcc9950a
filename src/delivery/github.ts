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

/** Requests a path of the repository from GitHub; `''` is the repository itself. @throws DeliveryError if GitHub does not answer, or refuses */
export async function github(
  { api, repository, token, ask }: GitHub,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const what = `GitHub: ${method} ${path}`
  try {
    const response = await ask(`${api}/repos/${repository}${path === '' ? '' : `/${path}`}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'quotetree',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (response.ok) return text === '' ? null : JSON.parse(text)
    throw new DeliveryError(`${what} failed with status ${response.status}. Check the permissions of the job's token.`)
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause
    throw new DeliveryError(`${what} failed: GitHub cannot be reached.`, { cause })
  }
}
