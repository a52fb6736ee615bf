import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../run/places.ts';
import { DOCUMENTS } from './deb.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const namedIn = (text: string, name: RegExp) => [...text.matchAll(name)].map(([, document]) => document);

it.each(DOCUMENTS)('%s is installed with every page of docs/ that it links to', (document) => {
  expect(DOCUMENTS).toEqual(expect.arrayContaining(namedIn(read(`docs/${document}`), /\]\(([\w-]+\.md)/g)));
});

it('every document that a message of the kiosk names is installed', () => {
  const sources = readdirSync(join(repositoryRoot, 'main'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('demo-service'))
    .map((path) => read(`main/${path}`));
  const named = new Set(sources.flatMap((source) => namedIn(source, /\bdocs\/([\w-]+\.md)/g)));
  expect(named.size).toBeGreaterThan(3);
  expect(DOCUMENTS).toEqual(expect.arrayContaining([...named]));
});
