import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PREFIX } from '../contract/words.ts'

const API = PREFIX.slice(1)

/** What would bloat a history and tell nobody anything: series, the markets behind a price, cuts of lists, names, digests. */
const LEFT_OUT = [/=/, /^history\//, /^symbols\//, /^assets\/[^/]+\/markets\.json$/, /^manifest(\/|\.json$)/]

/**
 * Whether a file of a tree is one that people follow through git: lists, profiles, collector, ecosystem, requests, changes.
 * The index is not, for it says nothing but when it was built.
 */
export const isFollowed = (file: string): boolean =>
  file.startsWith(`${API}/`) &&
  /^[a-z0-9/.-]+\.json$/.test(file) &&
  !file.includes('..') &&
  !LEFT_OUT.some((pattern) => pattern.test(file.slice(API.length + 1)))

/** The followed files of a tree, sorted. */
export const followedFiles = (root: string): string[] =>
  readdirSync(join(root, API), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
    .filter(isFollowed)
    .toSorted()
