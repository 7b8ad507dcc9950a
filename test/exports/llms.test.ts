import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { answered } from '../../src/core/endpoints/table.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'

const root = newFolder()
let text = ''
beforeAll(async () => {
  await copySampleTree(root)
  text = readFileSync(join(root, 'llms.txt'), 'utf8')
})

it('has the form of llms.txt: a title, a summary, what to know, and sections of links', () => {
  const [head = '', ...sections] = text.split(/^## /m)
  expect(head).toMatch(/^# Quotetree\n\n> .+\n\nWhat to know before reading:\n\n(- .+\n)+\n$/)
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(['Endpoints', 'Descriptions', 'In other forms'])
  for (const section of sections)
    for (const line of section.trim().split('\n').slice(2)) expect(line).toMatch(/^- \[[^\]]+\]\([^)]+\): .+\.$/)
})

it('names every endpoint with its method, path, meaning and parameters', () => {
  for (const { method, path, description, parameters } of answered) {
    const line = text.split('\n').find((one) => one.startsWith(`- [${method} /api/mkt${path}](`))
    expect(line).toContain(`: ${description}`)
    for (const name of Object.keys(parameters)) expect(line).toContain(`\`${name}\`: `)
  }
})

it('links only files of the tree, below any base path', () => {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(answered.length * 2)
  expect(
    links.filter((link) => /^(\/|[a-z]+:)/.test(link) || !existsSync(join(root, link.replace(/#.*/, '')))),
  ).toEqual([])
})

it('states what a program needs to know', () => {
  for (const word of ['`null`', '`staleAfter`', '`slug`', '`limit`', '`carried`', 'every run', '`If-None-Match`'])
    expect(text).toContain(word)
})
