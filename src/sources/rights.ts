import type { SourceRights } from '../contract/rights.ts'

/** Terms that nobody could read. */
export const unread = (terms_url: string): SourceRights => ({
  class: 'unknown',
  terms_url,
  read_on: null,
  attribution: null,
})

/** Data that this project makes itself. */
export const OWN_DATA: SourceRights = { class: 'open', terms_url: null, read_on: null, attribution: null }
