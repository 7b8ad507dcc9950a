import { expect, it } from 'vitest'
import { isStaleSample } from '../../scripts/start.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const index = (label: string, staleAfter: string) => JSON.stringify({ label, generatedAt: staleAfter, staleAfter })

it.each([
  ['a sample past its freshness', index('sample data: made-up numbers', '2026-11-20T11:59:59Z'), true],
  ['a fresh sample', index('sample data: made-up numbers', '2026-11-20T12:30:00Z'), false],
  ['real data, however old', index('public preview', '2025-01-01T00:00:00Z'), false],
  ['what is no index', '[', false],
])('%s is rebuilt or kept', (_, text, stale) => expect(isStaleSample(text, NOW)).toBe(stale))
