import type { SourceRights } from '../contract/rights.ts'

/** Rights of a source whose terms could not be read; null: their address is not known either. */
export const unread = (terms_url: string | null): SourceRights => ({
  class: 'unknown',
  terms_url,
  read_on: null,
  attribution: null,
})

export const OWN_DATA: SourceRights = { class: 'open', terms_url: null, read_on: null, attribution: null }
