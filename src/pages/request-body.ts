import type { ListingRequestBody } from '../client/answers.ts'

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the request body of a form. Empty fields are left out. */
export function bodyOf(form: FormData): ListingRequestBody {
  const filled = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  )
  const members = Object.fromEntries(
    filled.map(([name, value]) => {
      if (name === 'markets') return [name, linesOf(value)]
      if (name !== 'contracts') return [name, value]
      const contracts = linesOf(value).map((line) => {
        const [chain = '', ...address] = line.split(/\s+/)
        return { chain, address: address.join(' ') }
      })
      return [name, contracts]
    }),
  )
  // The server reports missing names, so both are always sent.
  return { name: '', symbol: '', ...members }
}
