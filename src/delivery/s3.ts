import type * as Sdk from '@aws-sdk/client-s3'
import { gunzipSync } from 'node:zlib'
import { isCode } from '../tree/tree-error.ts'
import { DeliveryError } from './delivery-error.ts'
import type { Listed, ObjectStore } from './object-store.ts'

/** Where a store is: the bucket and, below it, the prefix of all keys. */
export interface Address {
  readonly bucket: string
  readonly prefix: string
}

/** The address that `s3://bucket/prefix` means; null where it is none. */
export function addressOf(text: string): Address | null {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/.*)?$/.exec(text) ?? []
  if (bucket === undefined) return null
  const inner = prefix.split('/').filter((part) => part !== '')
  return { bucket, prefix: inner.map((part) => `${part}/`).join('') }
}

/** How the store is reached. What is null, the SDK finds out as it always does: environment, profile, instance role. */
export interface Reach {
  readonly endpoint: string | null
  readonly region: string | null
}

/**
 * A bucket of any store that speaks S3. The SDK is an optional dependency, loaded here, so that nobody who publishes
 * elsewhere has to have it.
 *
 * @throws DeliveryError where the SDK is not installed
 */
export async function s3Store(
  { bucket, prefix }: Address,
  { endpoint, region }: Reach,
  load: () => Promise<typeof Sdk> = () => import('@aws-sdk/client-s3'),
): Promise<ObjectStore> {
  const sdk = await load().catch((cause: unknown) => {
    if (!isCode(cause, 'ERR_MODULE_NOT_FOUND')) throw cause
    throw new DeliveryError('Publishing to s3:// needs one more package: npm install @aws-sdk/client-s3', { cause })
  })
  const client = new sdk.S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true, region: region ?? 'auto' }),
    ...(region === null ? {} : { region }),
    // Checksums beyond what S3 asks for are refused by stores that only speak S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const name = `s3://${bucket}/${prefix}`
  const asked = <Answer>(doing: string, answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((cause: unknown) => {
      const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
      throw new DeliveryError(
        `${name} did not take ${doing}: ${why}. Look at the bucket's name, S3_ENDPOINT, AWS_REGION and the keys in the ` +
          'environment, then publish again: it goes on where it stopped',
        { cause },
      )
    })
  return {
    name,
    async list() {
      const found = new Map<string, Listed>()
      let token: string | undefined
      do {
        const ask = { Bucket: bucket, Prefix: prefix, ...(token === undefined ? {} : { ContinuationToken: token }) }
        const page = await asked('a look at its keys', client.send(new sdk.ListObjectsV2Command(ask)))
        for (const { Key, ETag, LastModified } of page.Contents ?? [])
          found.set(Key?.slice(prefix.length) ?? '', {
            etag: ETag?.replaceAll('"', '') ?? '',
            modifiedAt: LastModified?.getTime() ?? 0,
          })
        token = page.NextContinuationToken
      } while (token !== undefined)
      return found
    },
    async read(key) {
      try {
        const answer = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: prefix + key }))
        const body = await answer.Body?.transformToByteArray()
        return body === undefined ? null : textOf(body, answer.ContentEncoding)
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return null
        return asked(`a look at ${key}`, Promise.reject(error))
      }
    },
    async put({ key, body, contentType, cacheControl, contentEncoding }) {
      const object = {
        Bucket: bucket,
        Key: prefix + key,
        Body: body,
        ContentType: contentType,
        CacheControl: cacheControl,
        ...(contentEncoding === null ? {} : { ContentEncoding: contentEncoding }),
      }
      await asked(key, client.send(new sdk.PutObjectCommand(object)))
    },
    async remove(key) {
      await asked(`the end of ${key}`, client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key })))
    },
  }
}

const textOf = (body: Uint8Array, encoding: string | undefined): string => {
  const plain = encoding === 'gzip' ? gunzipSync(body) : Buffer.from(body)
  return plain.toString('utf8')
}
