import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/*
 * Which tests a source file has, by title. Titles of tables (`it.each`, or a
 * template in a loop) are found as they read in a report, and only where the
 * file spells every value that fills their gaps: a row taken out of a table
 * takes its title along.
 */

/** The sentence of a title: fixed text, and gaps (`null`) that a value of the file fills. */
type Pattern = readonly (string | null)[];

interface TestSource {
  readonly titles: readonly { readonly pattern: Pattern; readonly raw: string }[];
  /** Strings, numbers and words that the file has as literals. */
  readonly literals: ReadonlySet<string>;
  readonly templates: readonly Pattern[];
  /** What was asked before, by depth and text: gaps are tried at every length. */
  readonly known: Map<string, boolean>;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Templates in templates in titles: deeper than any file goes. */
const MAX_DEPTH = 4;
/** Not `$name`: a report cuts what that stands for. */
const TABLE_GAP = /%[sdifjoO#]/;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  else if (isNode(value)) {
    visit(value);
    for (const key of Object.keys(value)) walk(value[key], visit);
  }
}

/** `test.describe.only` and `it.each([…])` as the names they are made of. */
function calledNames(callee: unknown): string[] {
  if (!isNode(callee)) return [];
  switch (callee.type) {
    case 'Identifier':
      return [String(callee.name)];
    case 'MemberExpression':
      return [...calledNames(callee.object), ...calledNames(callee.property)];
    case 'CallExpression':
      return calledNames(callee.callee);
    default:
      return [];
  }
}

function templatePattern(node: Node): Pattern {
  const quasis = node.quasis as { readonly value: { readonly cooked: string } }[];
  return quasis.flatMap(({ value }, index) => (index === 0 ? [value.cooked] : [null, value.cooked]));
}

const tablePattern = (title: string): Pattern =>
  title.split(TABLE_GAP).flatMap((text, index) => (index === 0 ? [text] : [null, text]));

function readTestSource(file: string, source: string): TestSource {
  const titles: TestSource['titles'][number][] = [];
  const literals = new Set<string>(['undefined']);
  const templates: Pattern[] = [];
  walk(parseSync(file, source).program, (node) => {
    if (node.type === 'Literal') literals.add(String(node.value));
    if (node.type === 'TemplateLiteral') {
      const pattern = templatePattern(node);
      if (pattern.length > 1) templates.push(pattern);
      else literals.add(pattern.join(''));
    }
    if (node.type === 'Property' && isNode(node.key) && node.key.type === 'Identifier') {
      literals.add(String(node.key.name));
    }
    if (node.type !== 'CallExpression') return;
    const [root = '', ...rest] = calledNames(node.callee);
    const isTest = ['test', 'it', 'describe'].includes(root);
    // A test that never runs shows nothing.
    if (!isTest || rest.some((name) => ['skip', 'todo', 'fixme'].includes(name))) return;
    const [title] = node.arguments as readonly unknown[];
    if (!isNode(title)) return;
    if (title.type === 'TemplateLiteral') {
      const raw = source.slice(Number(title.start) + 1, Number(title.end) - 1);
      titles.push({ pattern: templatePattern(title), raw });
    } else if (title.type === 'Literal' && typeof title.value === 'string') {
      const isTable = rest.includes('each') || rest.includes('for');
      titles.push({ pattern: isTable ? tablePattern(title.value) : [title.value], raw: title.value });
    }
  });
  return { titles, literals, templates, known: new Map() };
}

/** Whether a text is the pattern with every gap filled by what `fills` accepts. */
function matches([first, ...rest]: Pattern, text: string, fills: (part: string) => boolean): boolean {
  if (first === undefined) return text === '';
  if (first !== null) return text.startsWith(first) && matches(rest, text.slice(first.length), fills);
  for (let length = 0; length <= text.length; length += 1) {
    if (matches(rest, text.slice(length), fills) && fills(text.slice(0, length))) return true;
  }
  return false;
}

/** Whether the file has this value: as a literal, as JSON of its literals, or made by one of its templates. */
function spells(source: TestSource, text: string, depth = MAX_DEPTH): boolean {
  if (source.literals.has(text) || (text.startsWith('-') && source.literals.has(text.slice(1)))) return true;
  if (depth === 0) return false;
  const question = `${depth} ${text}`;
  const answer =
    source.known.get(question) ??
    ((/^["[{]/.test(text) && spellsJson(source, text, depth - 1)) ||
      source.templates.some((pattern) => matches(pattern, text, (part) => spells(source, part, depth - 1))));
  source.known.set(question, answer);
  return answer;
}

function spellsJson(source: TestSource, text: string, depth: number): boolean {
  const all = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).every(
          ([key, each]) => (Array.isArray(value) || spells(source, key, depth)) && all(each),
        )
      : spells(source, String(value), depth);
  try {
    return all(JSON.parse(text));
  } catch {
    return false;
  }
}

/** A title in which `…` stands for anything, against the title as the source has it. */
function matchesLoosely(title: string, raw: string): boolean {
  const parts = title.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(raw);
}

export interface NamedTest {
  /** Path from the root of the project. */
  readonly file: string;
  /** As a report prints them, without those of the blocks around; `…` stands for anything. */
  readonly titles: readonly string[];
}

/** What is not there of the tests that are named: a sentence for each file or title. */
export function createTestFinder(root: string): { missing(test: NamedTest): string[] } {
  const sources = new Map<string, TestSource>();
  function sourceOf(file: string): TestSource {
    const source = sources.get(file) ?? readTestSource(file, readFileSync(join(root, file), 'utf8'));
    sources.set(file, source);
    return source;
  }
  return {
    missing({ file, titles }) {
      if (!existsSync(join(root, file))) return [`${file} does not exist`];
      if (titles.length === 0) return [];
      const source = sourceOf(file);
      const exists = (title: string) =>
        source.titles.some(
          ({ pattern, raw }) =>
            matchesLoosely(title, raw) || matches(pattern, title, (part) => spells(source, part)),
        );
      return titles.filter((title) => !exists(title)).map((title) => `${file} has no test "${title}"`);
    },
  };
}
