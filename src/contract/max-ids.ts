/** Maximum number of slugs in `ids`. */
export const MAX_IDS = 250
