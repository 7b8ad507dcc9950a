import { logoOf } from '../core/registry/logos.ts'
import { LOGO_FOLDER, logoFile } from '../core/contract/site-files.ts'
import type { Attachment, PublicationData } from '../core/endpoints/endpoint.ts'

export const slugsWithLogo = (world: PublicationData): string[] =>
  world.listed.flatMap(({ asset }) => (asset.logo_url?.endsWith(`/${logoFile(asset.slug)}`) ? [asset.slug] : []))

const LICENCE = `The logos in this folder are from web3icons, https://github.com/0xa3k5/web3icons. They are trade marks of their owners.

MIT License

Copyright (c) 0xa3k5

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

export const logoFiles = ({ bySlug }: PublicationData, slugs: readonly string[]): Attachment[] => [
  { path: `${LOGO_FOLDER}/LICENSE.txt`, text: LICENCE },
  ...slugs.map((slug) => ({
    path: logoFile(slug),
    text: `${logoOf(bySlug.get(slug)?.asset.external_ids ?? {}) ?? ''}\n`,
  })),
]
