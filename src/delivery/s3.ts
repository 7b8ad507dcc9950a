import { AwsClient } from 'aws4fetch'
import { md5Of } from '../core/contract/digest.ts'
import { excerpt } from '../core/contract/visible.ts'
import { DeliveryError } from './delivery-error.ts'

export function bucketAddress(text: string) {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/.*)?$/.exec(text) ?? []
  if (bucket === undefined) return null
  const inner = prefix.split('/').filter((part) => part !== '')
  return { bucket, prefix: inner.map((part) => `${part}/`).join('') }
}

type Connection = Readonly<Record<'accessKeyId' | 'secretAccessKey', string>> &
  Readonly<Partial<Record<'endpoint' | 'region' | 'sessionToken', string | undefined>>>

const RETRIES = 3

export interface Stored {
  readonly key: string
  readonly body: Uint8Array
  /** Sent with each answer: its type and caching, and its encoding if it has one. */
  readonly headers: Readonly<Record<string, string>>
}

export type ObjectStore = ReturnType<typeof s3Store>

export function s3Store({ bucket, prefix }: NonNullable<ReturnType<typeof bucketAddress>>, connection: Connection) {
  const { endpoint } = connection
  const region = connection.region ?? (endpoint === undefined ? 'us-east-1' : 'auto')
  const base = `${(endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, '')}/${bucket}`
  const name = `s3://${bucket}/${prefix}`
  const ask = askedWith({ ...connection, region }, name)
  const addressIn = (key: string): string => `${base}/${(prefix + key).split('/').map(encodeURIComponent).join('/')}`
  return {
    name,
    /** The ETag of every object by key: the MD5 of the body, unless the store encrypts with keys of its customer. */
    async list() {
      const listed = new Map<string, string>()
      for (let next: string | null = ''; next !== null;) {
        const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix })
        if (next !== '') query.set('continuation-token', next)
        // eslint-disable-next-line no-await-in-loop -- a page names the next one
        const page = (await ask('list its keys', `${base}?${query}`)) ?? ''
        for (const [, object = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const key = new URLSearchParams(`key=${elementIn(object, 'Key') ?? ''}`).get('key') ?? ''
          listed.set(key.slice(prefix.length), (elementIn(object, 'ETag') ?? '').replaceAll('"', ''))
        }
        next = elementIn(page, 'NextContinuationToken')
      }
      return listed
    },
    read: (key: string) => ask(`read ${key}`, addressIn(key)),
    put({ key, body, headers }: Stored) {
      const md5 = Buffer.from(md5Of(body), 'hex').toString('base64')
      const sent = { body: new Uint8Array(body), headers: { ...headers, 'content-md5': md5 } }
      return ask(`store ${key}`, addressIn(key), { method: 'PUT', ...sent })
    },
    remove: (key: string) => ask(`delete ${key}`, addressIn(key), { method: 'DELETE' }),
  }
}

/** Returns what asks a store: the text of its answer, or null if there is no such object. It throws a DeliveryError otherwise. */
function askedWith({ endpoint: _, sessionToken = '', region = '', ...keys }: Connection, name: string) {
  const client = new AwsClient({ ...keys, sessionToken, service: 's3', region, retries: RETRIES })
  return async (doing: string, url: string, sent: RequestInit = {}): Promise<string | null> => {
    const failure = (why: string, cause?: unknown) =>
      new DeliveryError(
        `${name} could not ${doing}: ${excerpt(why)}. Check the bucket name, S3_ENDPOINT, AWS_REGION and the credentials in ` +
          'the environment, then publish again. It resumes where it stopped.',
        { cause },
      )
    const [response, text] = await client
      .fetch(url, sent)
      .then(async (answer) => [answer, await answer.text()] as const)
      .catch((cause: unknown) => {
        throw failure(cause instanceof Error ? cause.message : String(cause), cause)
      })
    if (response.ok) return text
    const code = elementIn(text, 'Code')
    if (response.status === 404 && code === 'NoSuchKey') return null
    throw failure(`${code ?? 'it answered'} with status ${response.status}`)
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function elementIn(xml: string, name: string): string | null {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replaceAll(/&(amp|lt|gt|quot|apos|#34);/g, (_, entity: string) => ENTITIES[entity] ?? '"') ?? null
}
