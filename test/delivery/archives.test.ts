import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import { type ArchiveStore, bucketArchive } from '../../src/delivery/archive-store.ts'
import { openPast } from '../../src/delivery/read-archive.ts'
import { RETENTION } from '../../src/delivery/retention.ts'
import { print } from '../../src/contract/text.ts'
import { releaseArchive, releaseRepositoryOf } from '../../src/delivery/release-archive.ts'
import { s3Store } from '../../src/delivery/s3.ts'
import { NOON } from '../sample-tree.ts'
import { githubReleases } from './github-releases.ts'
import { BUCKET, KEYS, type S3, s3Server } from './s3-server.ts'

const HALF_HOUR = 1_800_000
const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

const add = (store: ArchiveStore, at: number) => {
  const text = print({ ok: true, time: iso(at) })
  const head = {
    generatedAt: iso(at),
    staleAfter: iso(at + 2 * HALF_HOUR),
    nextBuildAt: iso(at + HALF_HOUR),
    snapshotId: 'a',
    limits: [],
  }
  return addSnapshot(store, { head, documents: [{ path: 'index', text }] }, RETENTION)
}
const timeAt = async (store: ArchiveStore, at: number) =>
  JSON.parse((await (await openPast(store, at)).read('index')) ?? '{}').time

const servers: { s3?: S3; github?: Awaited<ReturnType<typeof githubReleases>> } = {}
beforeAll(async () => {
  Object.assign(process.env, KEYS)
  servers.s3 = await s3Server()
  servers.github = await githubReleases()
})
afterAll(() => Promise.all([servers.s3?.close(), servers.github?.close()]))

const inBucket = async (prefix: string) =>
  bucketArchive(
    await s3Store({ bucket: BUCKET, prefix }, { endpoint: servers.s3?.endpoint ?? '', region: 'us-east-1' }),
  )
const inReleases = (token = 'job-token') =>
  releaseArchive({ api: servers.github?.url ?? '', repository: 'someone/data', token, ask: fetch })

describe('an archive in a bucket', () => {
  it('keeps snapshots, and goes on after a writer that was killed at any write', async () => {
    const store = await inBucket('kills/')
    await add(store, NOON)
    for (let kill = 1; kill <= 2; kill++) {
      const at = NOON + kill * HALF_HOUR
      if (servers.s3) servers.s3.onPut = (count) => count < kill
      servers.s3?.puts()
      await expect(add(store, at)).rejects.toThrow('could not store')
      if (servers.s3) servers.s3.onPut = () => true
      await add(store, at)
    }
    for (let run = 0; run <= 2; run++)
      expect(await timeAt(store, NOON + run * HALF_HOUR)).toBe(iso(NOON + run * HALF_HOUR))
    await expect(openPast(store, NOON - 1)).rejects.toThrow('there is no snapshot until')
  })
})

describe('an archive in the releases of a repository', () => {
  it('keeps snapshots in a release a month, and goes on after a writer that was killed at any change', async () => {
    const { door, releases, names } = servers.github ?? (await githubReleases())
    await add(inReleases(), NOON)
    for (let kill = 0; kill < 4; kill++) {
      const at = NOON + (kill + 1) * HALF_HOUR
      let changes = 0
      door.onChange = () => changes++ < kill
      await expect(add(inReleases(), at)).rejects.toThrow('cannot be reached')
      // What was there is there, in the middle of a replacement too.
      expect(await timeAt(inReleases(), NOON)).toBe(iso(NOON))
      door.onChange = () => true
      await add(inReleases(), at)
    }
    for (let run = 0; run <= 4; run++)
      expect(await timeAt(inReleases(), NOON + run * HALF_HOUR)).toBe(iso(NOON + run * HALF_HOUR))
    await add(inReleases(), NOON + 12 * 86_400_000)
    expect([...releases.keys()]).toEqual(['archive-2026-11', 'archive-2026-12'])
    expect(names().filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('neither lists nor deletes foreign assets, and ignores an upload that was cut off', async () => {
    const { releases, names } = servers.github ?? (await githubReleases())
    const foreign = '2026-11-20T11-00-00Z-0123456789abcdef.zip'
    const cut = '2026-11-20T10-00-00Z-0123456789abcdef.zip'
    releases
      .get('archive-2026-11')
      ?.assets.push(
        { id: 9001, name: foreign, bytes: Buffer.alloc(500, 'x'), state: 'uploaded' },
        { id: 9002, name: cut, bytes: Buffer.alloc(500, 'x'), state: 'starter' },
        { id: 9003, name: 'notes.txt', bytes: Buffer.from('mine'), state: 'uploaded' },
      )
    const { foreign: found } = await add(inReleases(), NOON + 6 * HALF_HOUR)
    expect(found).toEqual([`archive-2026-11/${foreign}`])
    for (const name of [foreign, cut, 'notes.txt']) expect(names()).toContain(name)
  })

  it('says how to go on where releases are immutable', async () => {
    const { door } = servers.github ?? (await githubReleases())
    door.isImmutable = true
    await expect(add(inReleases(), NOON + 20 * 86_400_000)).rejects.toThrow(/immutable releases.*ARCHIVE/)
    door.isImmutable = false
  })

  it('says which permission is missing, never the token', async () => {
    const refused = await add(inReleases('wrong-token'), NOON).catch(String)
    expect(refused).toContain("failed with status 401. Check the permissions of the job's token")
    expect(refused).not.toContain('wrong-token')
  })

  it.each([
    ['github-release:someone/data', 'someone/data'],
    ['github-release:someone', null],
    ['github-release:../x/y', null],
  ])('is named %s', (name, repository) => expect(releaseRepositoryOf(name)).toBe(repository))
})
