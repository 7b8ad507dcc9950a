import type { ConfigInput } from './settings.ts'

/** Returns the settings unchanged. It is there so that an editor knows their names and types. */
export const defineConfig = (config: ConfigInput): ConfigInput => config
