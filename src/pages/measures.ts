/** What is drawn over time, how it is named in a sentence, and its unit. */
export const MEASURES = {
  price: { label: 'Price', noun: 'price', unit: 'price' },
  candles: { label: 'Candles', noun: 'price', unit: 'price' },
  volume: { label: 'Volume 24 h', noun: 'volume', unit: 'money' },
  cap: { label: 'Market cap', noun: 'market cap', unit: 'money' },
  largest: { label: 'Dominance', noun: 'share of the largest listing', unit: 'percent' },
} as const
export type Measure = keyof typeof MEASURES
