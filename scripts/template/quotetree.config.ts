import { defineConfig } from 'quotetree'

// Every setting has a default: npm run config prints them all.
export default defineConfig({
  product: 'My Prices',
  ecosystem: { name: 'own', title: 'My Prices' },
  registry: 'registry',
})
