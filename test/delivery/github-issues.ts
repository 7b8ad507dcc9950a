import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** One issue, as the API shows it. */
export interface Issue {
  number: number
  state: string
  title: string
  labels: string[]
  body: string
  comments: string[]
}

/** As much of GitHub's REST API as the alarm asks for, in memory. */
export async function githubIssues() {
  const issues: Issue[] = []
  const asked: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
      const path = pathname.replace('/repos/someone/data/', '')
      asked.push(`${request.method} ${path}`)
      const [status, answer] = answerTo(`${request.method} ${path}`, body === '' ? {} : JSON.parse(body), searchParams)
      const allowed = request.headers.authorization === 'Bearer job-token'
      response.writeHead(allowed ? status : 401, { 'content-type': 'application/json' })
      response.end(allowed && answer !== null ? JSON.stringify(answer) : '')
    })
  })
  function answerTo(what: string, given: Partial<Issue>, query: URLSearchParams): readonly [number, unknown] {
    if (what === 'GET issues')
      return [200, issues.filter(({ state, labels }) => state === 'open' && labels.includes(query.get('labels') ?? ''))]
    if (what === 'POST issues') {
      const issue = {
        number: issues.length + 1,
        state: 'open',
        title: '',
        body: '',
        labels: [],
        ...given,
        comments: [],
      }
      issues.push(issue)
      return [201, issue]
    }
    if (what.startsWith('PUT actions/')) return [204, null]
    const [, method, number, comment] = /^(\w+) issues\/(\d+)(\/comments)?$/.exec(what) ?? []
    const issue = issues.find((one) => String(one.number) === number)
    if (!issue) return [404, { message: 'Not Found' }]
    if (comment !== undefined) issue.comments.push(given.body ?? '')
    else if (method === 'PATCH') Object.assign(issue, given)
    return [200, issue]
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { url, issues, asked, close: () => new Promise((resolve) => server.close(resolve)) }
}
