import { readFileSync, writeFileSync } from 'node:fs'
import { say } from './terminal.ts'
import { UsageError, main } from './usage.ts'

const MANIFESTS = ['package.json', 'package-lock.json', 'src/client/package.json']
const CHANGELOG = 'CHANGELOG.md'
const UNRELEASED = '## Unreleased\n'

type ReadText = (file: string) => string

/** Returns the files of a release by path: its version in the manifests, and its day in the changelog. */
export function releaseFiles(read: ReadText, version: string, day: string): ReadonlyMap<string, string> {
  const before = /"version": "([^"]*)"/.exec(read('package.json'))?.[1] ?? ''
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new UsageError(`"${version}" is no version, such as 1.2.0.`)
  if (version.localeCompare(before, 'en', { numeric: true }) <= 0)
    throw new UsageError(`${version} is not later than ${before}.`)
  const changelog = read(CHANGELOG)
  const [, entries = ''] = changelog.split(UNRELEASED)
  if (!entries.trimStart().startsWith('- ')) throw new UsageError(`${CHANGELOG} has nothing unreleased.`)
  const stated = (text: string) => text.replace(`"version": "${before}"`, `"version": "${version}"`)
  return new Map([
    // A lock file states it again in its list of packages.
    ...MANIFESTS.map((file) => [file, stated(stated(read(file)))] as const),
    [CHANGELOG, changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${day})\n`)],
  ])
}

export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} `))
  if (section === undefined)
    throw new UsageError(`${CHANGELOG} says nothing of ${version}. Run npm run release -- ${version}.`)
  return section.replace(/^.*\n/, '').trim()
}

/** Prepares a release: `npm run release -- 1.2.0`. With --notes, prints what the changelog says of a version. */
async function release(version = '', option = ''): Promise<number> {
  const read: ReadText = (file) => readFileSync(file, 'utf8')
  if (option === '--notes') say(notesOf(read(CHANGELOG), version))
  else {
    const files = releaseFiles(read, version, new Date().toISOString().slice(0, 10))
    for (const [file, text] of files) writeFileSync(file, text)
    say(`Version ${version} is in package.json, src/client/package.json and CHANGELOG.md. Next:
  npm run pack -- packages                        both packages, with their files
  git commit --all --message 'Release ${version}'
  git tag --annotate v${version} --message 'Release ${version}' && git push --follow-tags`)
  }
  return 0
}

if (process.argv[1] === import.meta.filename) await main(() => release(...process.argv.slice(2)))
