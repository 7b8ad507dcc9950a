import { CategoriesMembers, CategoryMembers } from '../contract/category.ts'
import { type Parameter, slug } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const category = {
  ...slug,
  description: 'Id of the category: `category_id` of `categories`.',
  allowed: 'a category_id that /categories lists',
} as const satisfies Parameter<string>

export const categoryListings = endpoint({
  name: 'category',
  group: 'Lists',
  path: '/categories/:category',
  description: 'One category and its listings, in the order of assets.',
  example: '/categories',
  parameters: { category },
  members: CategoryMembers,
  keys: ({ categories }) => [...categories.keys()].map((category) => ({ category })),
  body: ({ categories }, { category }) => {
    const found = categories.get(category)
    if (!found) throw new Error(`no category has the id ${category}`)
    return { category: found.row, count: found.assets.length, rows: found.assets }
  },
})

export const categories = endpoint({
  name: 'categories',
  group: 'Lists',
  path: '/categories',
  description: 'The tags of the listings with number of listings, market cap, volume and change, by market cap.',
  example: '/categories',
  parameters: {},
  members: CategoriesMembers,
  body: ({ categories, listed }) => ({
    count: categories.size,
    total: listed.length,
    rows: [...categories.values()].map(({ row }) => row),
  }),
})
