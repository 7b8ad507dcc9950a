/** The prefix of a publisher, stated by whatever starts a program, a page or a function before it loads this module. */
declare const API_PREFIX: string | undefined

/** Path of the API on a host: the setting `prefix`. */
export const PREFIX = typeof API_PREFIX === 'undefined' ? '/api/mkt' : API_PREFIX

export const API_FOLDER = PREFIX.slice(1)

/** The files of the documents of one path, each with a key, such as a day or a slug. A test keeps them equal to those of the endpoint. */
export function filesIn(folder: string, key: RegExp) {
  const parts = new RegExp(`^${API_FOLDER}/${folder}/(${key.source})\\.json$`)
  return {
    fileOf: (key: string): string => `${API_FOLDER}/${folder}/${key}.json`,
    keyIn: (file: string): string | null => parts.exec(file)?.[1] ?? null,
  }
}
