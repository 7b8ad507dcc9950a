import { readFileSync, readdirSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

const DEEP = 'test/**/*.deep.test.ts'
/** Files that do more in the deep suite, or have tests of it: they import `test/scale.ts`, or state laws. */
const inBoth = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && /'(.*\/scale\.ts|fast-check)'/.test(readFileSync(file, 'utf8')))

/** Two suites: `npm test` runs the short one, `npm run test:deep` the one that takes its time. A file's name says which it belongs to. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    // Test files share a process, and with it the compiled modules: loading them anew for each file took longer than most tests.
    isolate: false,
    // The next run finds what this one transformed, by the content of each file.
    experimental: { fsModuleCache: true },
    // They end what hangs. A busy machine may take many times as long as an idle one, and is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    // Few functions run long enough here to be worth optimizing, which took a quarter of the time.
    execArgv: ['--always-sparkplug', '--interrupt-budget=600000'],
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'short', include: ['test/**/*.test.{ts,tsx}'], exclude: [...configDefaults.exclude, DEEP] },
      },
      {
        extends: true,
        test: {
          name: 'deep',
          include: [DEEP, ...inBoth],
          env: { QUOTETREE_TEST_SCALE: 'deep' },
          testTimeout: 1_200_000,
        },
      },
    ],
  },
})
