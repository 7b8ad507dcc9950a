const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
const repeat = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, at) => make(at))
const startOfBody = (index: number) =>
  `POST /api/mkt/listing-requests?${index} HTTP/1.1\r\nHost: x\r\nContent-Length: 16000\r\n\r\n${'x'.repeat(15_000)}`

/** What many clients send that read nothing and never close: the bytes of each, for a number of them. */
export const ATTACKS = {
  'a thousand requests sent ahead': (clients: number) =>
    repeat(Math.ceil(clients / 300), () => repeat(1000, (at) => get(`/api/mkt/markets?x=${at}`)).join('')),
  'half requests on every connection': (clients: number) => repeat(clients, () => 'GET / HTTP/1.1\r\nHost: x\r\n'),
  'no HTTP at all': (clients: number) => repeat(clients, () => 'nonsense\r\n\r\n'),
  'half requests with long heads': (clients: number) =>
    repeat(clients, () => `GET / HTTP/1.1\r\nx: ${'y'.repeat(15_000)}`),
  'lists that are not read': (clients: number) =>
    repeat(clients, (at) => get(`/api/mkt/assets?limit=${1990 - (at % 900)}`)),
  'coded lists that are not read': (clients: number) =>
    repeat(clients, (at) => get(`/api/mkt/assets?limit=${1990 - (at % 900)}`, 'Accept-Encoding: gzip\r\n')),
  'bodies that never end': (clients: number) => repeat(clients, startOfBody),
  'requests sent ahead on every connection': (clients: number) =>
    repeat(clients, (at) => repeat(90, (index) => get(`/api/mkt/markets?x=${at}-${index}`)).join('')),
} as const satisfies Readonly<Record<string, (clients: number) => string[]>>
