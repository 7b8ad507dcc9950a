import * as z from 'zod'
import { escaped } from '../changes/print.ts'
import type { Entry } from '../registry/schema.ts'
import type { SharedRegistry } from '../review/approve.ts'
import { type GitHub, github } from './github.ts'

/** The repository that takes the pull requests. */
export interface RegistryRepository {
  readonly at: GitHub
  /** Folder of the registry in it. */
  readonly folder: string
  /** Entries that the registry has without open pull requests. */
  readonly entries: () => readonly unknown[]
  /** Called with the address of each pull request. */
  readonly onOpened: (address: string) => void
}

const Repository = z.object({ default_branch: z.string() })
const Ref = z.object({ object: z.object({ sha: z.string() }) })
const PullRequest = z.object({ html_url: z.url() })

/** Returns the branch of the pull request that lists an asset. */
export const branchFor = (slug: string): string => `list-${slug}`

/** Returns the title of the pull request that lists an asset, which is also that of its commit. */
export const titleFor = ({ slug }: Pick<Entry, 'slug'>): string => `List ${slug}`

/**
 * Returns a registry whose changes are pull requests: an approved asset becomes a branch with its file. Nothing on this disk
 * changes. An entry that is taken back deletes the branch, which closes the pull request.
 */
export const pullRequestRegistry = ({ at, folder, entries, onOpened }: RegistryRepository): SharedRegistry => ({
  name: folder,
  entries,
  // GitHub refuses a second branch of the same name.
  exclusively: (work) =>
    work({
      async put(asset, text) {
        const { default_branch: base } = Repository.parse(await github(at, 'GET', ''))
        const { object } = Ref.parse(await github(at, 'GET', `git/ref/heads/${base}`))
        const branch = branchFor(asset.slug)
        await github(at, 'POST', 'git/refs', { ref: `refs/heads/${branch}`, sha: object.sha })
        const title = titleFor(asset)
        await github(at, 'PUT', `contents/${folder}/${asset.slug}.json`, {
          message: title,
          content: Buffer.from(text).toString('base64'),
          branch,
        })
        const body = `Lists ${escaped(asset.name)} (${escaped(asset.symbol)}), as an approved listing request asks.`
        const opened = await github(at, 'POST', 'pulls', { title, head: branch, base, body })
        onOpened(PullRequest.parse(opened).html_url)
      },
      remove: ({ slug }) => github(at, 'DELETE', `git/refs/heads/${branchFor(slug)}`),
    }),
})

/** Returns the commands that open the pull request of a file on this disk by hand. */
export const pullRequestCommands = (slug: string, file: string): string[] => [
  `git switch --create ${branchFor(slug)}`,
  `git add ${file}`,
  `git commit --message '${titleFor({ slug })}'`,
  `git push --set-upstream origin ${branchFor(slug)}`,
  `gh pr create --fill --head ${branchFor(slug)}`,
]
