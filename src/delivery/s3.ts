import type * as Sdk from '@aws-sdk/client-s3'
import { gunzipSync } from 'node:zlib'
import { excerpt } from '../contract/visible.ts'
import { MOST_FILE_BYTES } from '../tree/reader.ts'
import { isCode } from '../tree/tree-error.ts'
import { DeliveryError } from './delivery-error.ts'
import type { ByteStore, Listed, Stored } from './objects.ts'

/** Address of a store: the bucket and the prefix of all keys. */
type Address = NonNullable<ReturnType<typeof addressOf>>

/** Parses `s3://bucket/prefix`. Returns null if it is invalid. */
export function addressOf(text: string) {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/.*)?$/.exec(text) ?? []
  if (bucket === undefined) return null
  const inner = prefix.split('/').filter((part) => part !== '')
  return { bucket, prefix: inner.map((part) => `${part}/`).join('') }
}

/** Connection settings. For null values the SDK uses its defaults: environment, profile, instance role. */
interface Reach {
  readonly endpoint: string | null
  readonly region: string | null
}

/**
 * Opens a bucket of an S3-compatible store. The SDK is an optional dependency and only loaded here, so that other
 * deployments do not need it.
 *
 * @throws DeliveryError if the SDK is not installed
 */
export async function s3Store(
  { bucket, prefix }: Address,
  reach: Reach,
  load: () => Promise<typeof Sdk> = () => import('@aws-sdk/client-s3'),
): Promise<ByteStore> {
  const sdk = await load().catch((cause: unknown) => {
    if (!isCode(cause, 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new DeliveryError('Publishing to s3:// needs one more package: npm install @aws-sdk/client-s3', { cause })
  })
  const client = clientOf(sdk, reach)
  const name = `s3://${bucket}/${prefix}`
  const asked = <Answer>(doing: string, answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((cause: unknown) => {
      throw failure(`${name} could not ${doing}`, cause)
    })
  async function all(below: string, token?: string): Promise<Sdk._Object[]> {
    const ask = { Bucket: bucket, Prefix: prefix + below, ...(token === undefined ? {} : { ContinuationToken: token }) }
    const page = await asked('list its keys', client.send(new sdk.ListObjectsV2Command(ask)))
    const { Contents = [], NextContinuationToken: next } = page
    return next === undefined ? Contents : [...Contents, ...(await all(below, next))]
  }
  async function get(key: string, range: { readonly Range?: string }) {
    try {
      const answer = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...range }))
      const body = await answer.Body?.transformToByteArray()
      return body === undefined ? null : { body, encoding: answer.ContentEncoding }
    } catch (error) {
      if (error instanceof sdk.NoSuchKey) return null
      return asked(`read ${key}`, Promise.reject(error))
    }
  }
  return {
    name,
    async list(below = '') {
      return new Map((await all(below)).map((object) => [object.Key?.slice(prefix.length) ?? '', listedOf(object)]))
    },
    async read(key) {
      const found = await get(key, {})
      return found && asked(`read ${key}`, textOf(found.body, found.encoding))
    },
    readBytes: async (key, range) => (await get(key, partOf(range)))?.body ?? null,
    async put(object) {
      await asked(`store ${object.key}`, client.send(new sdk.PutObjectCommand(putOf(bucket, prefix, object))))
    },
    async remove(key) {
      await asked(`delete ${key}`, client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key })))
    },
  }
}

const listedOf = ({ ETag, Size = 0 }: Sdk._Object): Listed => ({ bytes: Size, etag: ETag?.replaceAll('"', '') ?? '' })

const partOf = (range: Parameters<ByteStore['readBytes']>[1]) =>
  range ? { Range: `bytes=${range.from}-${range.from + range.length - 1}` } : {}

const putOf = (bucket: string, prefix: string, { key, body, contentType, cacheControl, contentEncoding }: Stored) => ({
  Bucket: bucket,
  Key: prefix + key,
  Body: body,
  ContentType: contentType,
  CacheControl: cacheControl,
  ...(contentEncoding === null ? {} : { ContentEncoding: contentEncoding }),
})

const clientOf = (sdk: typeof Sdk, { endpoint, region }: Reach): Sdk.S3Client =>
  new sdk.S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true, region: region ?? 'auto' }),
    ...(region === null ? {} : { region }),
    // Some S3-compatible stores reject optional checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

function failure(what: string, cause: unknown): DeliveryError {
  const why = excerpt(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause))
  return new DeliveryError(
    `${what}: ${why}. Check the bucket name, S3_ENDPOINT, AWS_REGION and the credentials in the environment, then ` +
      'publish again. It resumes where it stopped.',
    { cause },
  )
}

async function textOf(body: Uint8Array, encoding: string | undefined): Promise<string> {
  const plain = encoding === 'gzip' ? gunzipSync(body, { maxOutputLength: MOST_FILE_BYTES }) : Buffer.from(body)
  return plain.toString('utf8')
}
