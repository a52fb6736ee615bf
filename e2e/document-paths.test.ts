import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = join(__dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const within = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));

const TOP = ['docs', 'e2e', 'main', 'preload', 'renderer', 'shared', 'tools'];
const PATHS = new Set([...readdirSync(root), ...TOP.flatMap(within)]);
const DOCUMENTS = [...PATHS].filter((path) => /^(README|ARCHITECTURE|SECURITY|docs\/.*)\.md$/.test(path));
const SCRIPTS: object = JSON.parse(read('package.json')).scripts;

/** The anchors that GitHub gives to the headings of a document. */
const anchorsOf = (document: string) =>
  [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const isThere = (path: string) => PATHS.has(path) || [...PATHS].some((known) => known.endsWith(`/${path}`));

/** What a document names and the project lacks: targets of links, npm scripts, and files of source code. */
function lackedBy(document: string): string[] {
  const text = read(document);
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
  const links = all(/\]\((?!https?:)([^)\s]+)\)/g).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : normalize(join(dirname(document), path)).replace(/\/$/, '');
    return !PATHS.has(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  const scripts = all(/npm run (?:-s )?([a-z][\w-]*)/g).filter((name) => !Object.hasOwn(SCRIPTS, name));
  // Decisions tell what was so when they were made.
  const sources = all(/`([\w./-]+\.(?:tsx?|m[jt]s|css|sql))`/g).filter(
    (path) => !path.includes('NAME') && !isThere(path),
  );
  return [...links, ...scripts, ...(document.startsWith('docs/decisions/') ? [] : sources)];
}

it.each(DOCUMENTS)('%s names only links, commands and files that exist', (document) => {
  expect(lackedBy(document)).toEqual([]);
});
