import type { Attachments } from '../core/endpoints/endpoint.ts'
import { tokensOf } from '../core/history/token-list.ts'

/** The list of tokens, relative to the tree's root. */
export const TOKEN_LIST_FILE = 'tokenlist.json'
/** Exports a token list for wallets, https://github.com/Uniswap/token-lists. It only changes when its tokens change. */
export const tokenList =
  (title: string): Attachments =>
  ({ listed, run }) => {
    const tokens = tokensOf(listed.map(({ asset }) => asset))
    // The schema rejects an empty list.
    if (tokens.length === 0) return []
    const { timestamp, ...version } = run.token_list
    const head = { name: title, timestamp, version }
    const lines = tokens.map((token) => JSON.stringify(token)).join(',\n')
    return [{ path: TOKEN_LIST_FILE, text: `${JSON.stringify(head).slice(0, -1)},"tokens":[\n${lines}\n]}\n` }]
  }
