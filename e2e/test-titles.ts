import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseSync, Visitor } from 'rolldown/utils';

/* Finds the titles of a file's tests. Literal titles are read from the source. Titles of table rows and
   templates come from the runner's own list of tests, so a row that is removed from a table also removes its
   title. */

export interface NamedTest {
  /** Path from the root of the project. */
  readonly file: string;
  /** As a report prints them, without the titles of enclosing blocks; `…` stands for any text. */
  readonly titles: readonly string[];
}

/**
 * The titles of a source file's tests and blocks that are not skipped, as written; templates with their
 * placeholders.
 */
function writtenTitles(file: string): readonly string[] {
  const titles: string[] = [];
  const source = readFileSync(file, 'utf8');
  const written = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      // `test.describe.only` and `it.each([…])`, too; but a skipped test proves nothing.
      if (!/^(?:test|it|describe)\b(?![\w.]*\.(?:skip|todo|fixme)\b)/.test(written(callee))) return;
      if (title?.type === 'Literal') titles.push(String(title.value));
      if (title?.type === 'TemplateLiteral') titles.push(written(title).slice(1, -1));
    },
  }).visit(parseSync(file, source).program);
  return titles;
}

const run = promisify(execFile);
const LIMITS = { maxBuffer: 256 * 1024 * 1024, timeout: 300_000 };

/** The titles of the tests that vitest would run, each after those of its blocks, by file. */
async function listedByVitest(root: string, files: readonly string[]): Promise<Listed> {
  const runner = join(root, 'node_modules/vitest/vitest.mjs');
  // `--json` is last, because it would take a following file as its output file.
  const { stdout } = await run(process.execPath, [runner, 'list', ...files, '--json'], {
    ...LIMITS,
    cwd: root,
  });
  const tests = JSON.parse(stdout.slice(stdout.indexOf('['))) as { name: string; file: string }[];
  return byFile(tests.map(({ name, file }) => [file.slice(root.length + 1), name]));
}

interface Suite {
  readonly title: string;
  readonly suites?: readonly Suite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly file: string;
    readonly tests: readonly { readonly expectedStatus: string }[];
  }[];
}

/** The same of Playwright. */
async function listedByPlaywright(root: string, files: readonly string[]): Promise<Listed> {
  const runner = join(root, 'node_modules/playwright/cli.js');
  const args = [runner, 'test', '--list', '--reporter=json', ...files];
  const { stdout } = await run(process.execPath, args, { ...LIMITS, cwd: root });
  const found: [file: string, name: string][] = [];
  const collect = ({ specs = [], suites = [] }: Suite, blocks: readonly string[]): void => {
    for (const { title, file, tests } of specs)
      if (tests.some(({ expectedStatus }) => expectedStatus !== 'skipped'))
        found.push([`e2e/${file}`, [...blocks, title].join(' > ')]);
    for (const suite of suites) collect(suite, [...blocks, suite.title]);
  };
  for (const suite of (JSON.parse(stdout) as { suites: Suite[] }).suites) collect(suite, []);
  return byFile(found);
}

type Listed = ReadonlyMap<string, readonly string[]>;

function byFile(tests: readonly (readonly [file: string, name: string])[]): Listed {
  const files = new Map<string, string[]>();
  for (const [file, name] of tests) files.set(file, [...(files.get(file) ?? []), name]);
  return files;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether `title`, in which `…` stands for any text, is a title of the listed test or one of its blocks. */
function isTitleIn(name: string, title: string): boolean {
  const loosely = title.split('…').map(escaped).join('(?:(?! > )[^])*');
  return new RegExp(`(?:^| > )${loosely}(?: > |$)`).test(name);
}

/**
 * The named tests that do not exist: one sentence for each file or title.
 *
 * @param root the project's folder, without a trailing slash
 */
export async function missingTests(root: string, named: readonly NamedTest[]): Promise<readonly string[]> {
  const files = [...new Set(named.map(({ file }) => file))];
  const existing = files.filter((file) => existsSync(join(root, file)));
  const written = new Map(existing.map((file) => [file, writtenTitles(join(root, file))]));
  const open = named.flatMap(({ file, titles }) =>
    titles
      .filter((title) => !written.get(file)?.some((each) => isTitleIn(each, title)))
      .map((title) => ({ file, title })),
  );
  const toList = existing.filter((file) => open.some((each) => each.file === file));
  const ofPlaywright = toList.filter((file) => file.endsWith('.e2e.ts'));
  const ofVitest = toList.filter((file) => /\.test\.(?:ts|mjs)$/.test(file));
  const [unit, e2e] = await Promise.all([
    ofVitest.length > 0 ? listedByVitest(root, ofVitest) : new Map<string, readonly string[]>(),
    ofPlaywright.length > 0 ? listedByPlaywright(root, ofPlaywright) : new Map<string, readonly string[]>(),
  ]);
  const isListed = ({ file, title }: { file: string; title: string }) =>
    (unit.get(file) ?? e2e.get(file))?.some((name) => isTitleIn(name, title)) === true;
  return [
    ...files.filter((file) => !existing.includes(file)).map((file) => `${file} does not exist`),
    ...open
      .filter((each) => existing.includes(each.file) && !isListed(each))
      .map(({ file, title }) => `${file} has no test "${title}"`),
  ];
}
