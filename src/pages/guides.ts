import { API_FOLDER } from '../core/contract/prefix.ts'
import { symbolKey } from '../core/contract/names.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { type Sample, embedSample } from './api-samples.tsx'
import guides from './guides.json' with { type: 'json' }

/** What the programs of a language begin with: a function `read` for files of the API. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  JavaScript: `const read = async (file) => (await fetch('{api}' + file)).json()\n\n`,
  Python: `import json, urllib.request

def read(file):
    with urllib.request.urlopen('{api}' + file) as answer:
        return json.load(answer)

`,
}

/** Names in the guides for what differs between trees. */
const NAMES = /\{(site|api|slug|key|chain|address|year|embed)\}/g

export type Guide = ReturnType<typeof guidesOf>[number]

/** Returns the guides that a tree can follow: those whose commands name nothing that it lacks. */
export function guidesOf({ listed, directory, pastRates }: PublicationData, site: string) {
  const priced = listed.map(({ asset }) => asset).filter(({ price_usd }) => price_usd !== null)
  const asset = priced.find(({ slug }) => slug === 'bitcoin') ?? priced[0]
  const contract = priced
    .flatMap(({ contracts }) => contracts)
    .find(({ chain, address }) => directory.chains.get(chain)?.filter((row) => row.address === address).length === 1)
  const { slug, symbol = '', chain, address } = { ...asset, ...contract }
  const year = [...pastRates.keys()].toSorted().at(-1)
  const embed = slug && embedSample(site, slug)[1]
  const own = { slug, key: symbolKey(symbol), chain, address, year, embed }
  const values: Readonly<Record<string, string | undefined>> = { site, api: `${site}${API_FOLDER}/`, ...own }
  const filled = (text: string) => text.replaceAll(NAMES, (whole, name) => values[name] ?? whole)
  const all = guides.map(({ id, name, text, ...programs }) => {
    const samples = Object.entries(programs).map(([language, lines]): Sample => {
      return [language, filled((BEGINNINGS[language] ?? '') + lines.join('\n'))]
    })
    return { id, name, text, samples }
  })
  return all.filter(({ samples }) => samples.every(([, text]) => text.match(NAMES) === null))
}
