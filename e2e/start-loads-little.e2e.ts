import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'playwright/test';
import { expect } from './expect';

const out = resolve(__dirname, '../out');

/**
 * The files that a built program loads at once, itself included, with their code. A `require` inside a
 * function is not counted.
 */
function loadedAtOnce(program: string, files = new Map<string, string>()): Map<string, string> {
  if (files.has(program)) return files;
  const code = readFileSync(program, 'utf8');
  files.set(program, code);
  for (const [, named = ''] of code.matchAll(/^(?:const|let|var) \w+ = require\("(\.[^"]+)"\)/gm))
    loadedAtOnce(join(dirname(program), named), files);
  return files;
}

/** The source files of built files, from their source maps; the bundler's own runtime has none. */
const sourcesOf = (files: Iterable<string>): string[] =>
  [...files]
    .filter((file) => existsSync(`${file}.map`))
    .flatMap((file) => (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }).sources);

test('the code that opens the windows is small, without libraries', () => {
  const files = loadedAtOnce(join(out, 'main/index.js'), loadedAtOnce(join(out, 'main/entry.js')));
  const sources = sourcesOf(files.keys());
  expect(sources.some((source) => source.endsWith('main/shell/new-windows.ts'))).toBe(true);
  expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
  expect([...files.values()].reduce((sum, code) => sum + code.length, 0)).toBeLessThan(48 * 1024);
});

test('the code for the first picture includes no XML, OAuth, QR codes or overlay', () => {
  const files = loadedAtOnce(join(out, 'main/chunks/start.js'));
  const sources = sourcesOf(files.keys());
  expect(sources.some((source) => source.endsWith('main/playback/player.ts'))).toBe(true);
  const late = /node_modules\/(?:saxes|qrcode|mqtt|mqtt-packet|jose|ws)\/|main\/admin\/admin\.ts$/;
  expect(sources.filter((source) => late.test(source))).toEqual([]);
});

test('the kiosk page is one script without the overlay', () => {
  const page = join(out, 'renderer/kiosk/index.html');
  const scripts = [...readFileSync(page, 'utf8').matchAll(/\bsrc="([^"]+)"/g)].map(([, file = '']) =>
    join(dirname(page), file),
  );
  expect(scripts.length).toBe(1);
  const script = readFileSync(scripts[0] ?? '', 'utf8');
  expect(script).toContain('data-rotation');
  const imported = [...script.matchAll(/\bfrom ?"\.\/([^"]+)"/g)].map(([, file]) => file);
  expect(imported.filter((file) => !file?.startsWith('rolldown-runtime'))).toEqual([]);
  expect(script).toContain('react');
  // A text of the overlay, which is loaded later.
  expect(script).not.toContain('Proof of play');
});
