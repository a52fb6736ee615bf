import type { NamedTest } from './test-titles';

const TEST_FILE = /`((?:[\w.-]+\/)+[\w.-]+\.(?:test|e2e|run)\.(?:ts|mjs))`(?: \(((?:"[^"]+"(?:; )?)+)\))?/g;

/** Every test file that a document names, with the titles in brackets after it. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(TEST_FILE)].map(([, file = '', titles = '']) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  }));
}
