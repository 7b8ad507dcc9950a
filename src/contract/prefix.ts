/** Path of the API on a host, the same as the setting `prefix`. */
export const PREFIX = '/api/mkt'

/** Folder of the API's documents, relative to the root of a tree. */
export const API_FOLDER = PREFIX.slice(1)
