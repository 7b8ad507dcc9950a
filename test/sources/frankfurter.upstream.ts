import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now }) => ({
  '/v2/rates': [
    { date: new Date(now).toISOString().slice(0, 10), base: 'USD', quote: 'EUR', rate: 0.9 },
    { date: new Date(now).toISOString().slice(0, 10), base: 'USD', quote: 'JPY', rate: 150 },
  ],
})
