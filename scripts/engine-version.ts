import manifest from '../package.json' with { type: 'json' }

/** Version of the program, as its package states it. */
export const ENGINE_VERSION = manifest.version
