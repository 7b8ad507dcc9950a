import { join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../src/contract/read-json.ts'
import { Timestamp } from '../src/contract/words.ts'
import { firedAt, postAlerts, webhookOf } from '../src/delivery/webhook.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { textAt } from '../src/tree/reader.ts'
import { declare } from './command.ts'
import { secretIn } from './environment.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

const TIMEOUT_MS = 10_000

export const command = declare({
  options: { tree: { type: 'string', default: 'dist', about: 'published tree' } },
  async run({ tree }) {
    const index = readJson(textAt(join(tree, LAYOUT.index)), z.object({ generatedAt: Timestamp }))
    if (index === null) throw new UsageError(`${tree} has no snapshot. Run npm run snapshot first.`)
    const alerts = firedAt(textAt(join(tree, 'alerts.json')), index.generatedAt)
    const address = secretIn('ALERTS_WEBHOOK')
    const count = `${alerts.length} new alert${alerts.length === 1 ? '' : 's'}`
    if (alerts.length === 0 || address === undefined) {
      print(`${count}.${address === undefined ? ' ALERTS_WEBHOOK is not set, so nothing is sent.' : ''}`)
      return EXIT.done
    }
    await postAlerts(webhookOf(address), alerts, { ask: fetch, timeoutMs: TIMEOUT_MS })
    print(`${count} sent.`)
    return EXIT.done
  },
})
