/** The prefix of a publisher, stated by whatever starts a program, a page or a function before it loads this module. */
declare const API_PREFIX: string | undefined

/** Path of the API on a host: the setting `prefix`. */
export const PREFIX = typeof API_PREFIX === 'undefined' ? '/api/mkt' : API_PREFIX

export const API_FOLDER = PREFIX.slice(1)
