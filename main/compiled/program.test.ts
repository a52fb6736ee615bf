import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDING, seal, unseal } from './compiled-code';
import { loadProgram } from './load-program';

const nodeRequire = createRequire(__filename);
const root = mkdtempSync(join(tmpdir(), 'endcap-compiled-'));
/** The command as it is built. */
const command = join(root, 'command/compile.js');
let folders = 0;

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: join(__dirname, 'compile.ts'),
      outDir: dirname(command),
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'compile.js' } },
    },
  });
}, 60_000);

/** In another process, as ever: V8 knows again what it has compiled itself. */
const compile = (folder: string) =>
  spawnSync(process.execPath, [command, folder], { encoding: 'utf8', timeout: 60_000 });

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program in a folder of its own, and what is compiled of it. */
function compiled(files: Readonly<Record<string, string>>) {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(join(folder, 'chunks'), { recursive: true });
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  const { status, stderr } = compile(folder);
  if (status !== 0) throw new Error(stderr);
  const kept = (name: string) => join(folder, name) + ENDING;
  return {
    folder,
    index: join(folder, 'index.js'),
    kept: (name: string) => readFileSync(kept(name)),
    keep: (name: string, bytes: Uint8Array | null) =>
      bytes === null ? rmSync(kept(name)) : writeFileSync(kept(name), bytes),
    change: (name: string, code: string) => writeFileSync(join(folder, name), code),
  };
}

/** What the program exports, and the files that were compiled anew. */
function load(file: string) {
  const misfits: string[] = [];
  const onMisfit = (path: string) => misfits.push(path.slice(dirname(file).length + 1));
  return { program: loadProgram(file, { requireOther: nodeRequire, onMisfit }), misfits };
}

const INDEX = `
exports.early = () => 'early';
exports.late = () => require('./chunks/late.js').told();
exports.sum = require('./chunks/sum.js').sum(1, 2);
`;
const SUM = 'exports.sum = (a, b) => a + b;\n';
const LATE = `const { basename } = require('node:path');
exports.told = () => basename(__filename) + ' in ' + basename(__dirname);
`;
const FILES = { 'index.js': INDEX, 'chunks/sum.js': SUM, 'chunks/late.js': LATE };

interface Program {
  readonly sum: number;
  early(): string;
  late(): string;
}

describe('a program with what V8 has compiled of it', () => {
  it('is loaded like any other, and nothing of it is compiled anew', () => {
    const { program, misfits } = load(compiled(FILES).index);
    const { sum, early, late } = program as Program;
    expect([sum, early(), late()]).toEqual([3, 'early', 'late.js in chunks']);
    expect(misfits).toEqual([]);
  });

  it('runs what was compiled, functions that are first called later included', () => {
    const { keep, kept, index } = compiled({ ...FILES, 'chunks/sum.js': SUM.replace('a + b', 'a - b') });
    // As if that were of the code which is there now: V8 itself compares nothing but the length.
    writeFileSync(join(dirname(index), 'chunks/sum.js'), SUM);
    const other = kept('chunks/sum.js').subarray(8);
    keep('chunks/sum.js', seal(Buffer.from(SUM), other));
    const { program, misfits } = load(index);
    expect((program as Program).sum).toBe(-1);
    expect(misfits).toEqual([]);
  });

  it('is compiled anew where another V8 has done it, and says so', () => {
    const { keep, kept, index } = compiled(FILES);
    const foreign = Buffer.from(kept('index.js').subarray(8));
    // The sum of V8's version, behind the magic number.
    foreign.writeUInt32LE((foreign.readUInt32LE(4) ^ 1) >>> 0, 4);
    keep('index.js', seal(Buffer.from(INDEX), foreign));
    const { program, misfits } = load(index);
    expect((program as Program).early()).toBe('early');
    expect(misfits).toEqual(['index.js']);
  });

  it('is compiled anew where its code has changed by as much as a letter', () => {
    const { change, index } = compiled(FILES);
    change('chunks/sum.js', SUM.replace('a + b', 'a * b'));
    const { program, misfits } = load(index);
    expect((program as Program).sum).toBe(2);
    expect(misfits).toEqual(['chunks/sum.js']);
  });

  it('tells of a file that is not there, and of one that fails, each time it is asked for', () => {
    const { index } = compiled({
      'index.js': "exports.ask = (name) => require('./chunks/' + name);",
      'chunks/fails.js':
        "globalThis.tried = (globalThis.tried ?? 0) + 1; throw new Error('at ' + globalThis.tried);",
    });
    const { ask } = load(index).program as { ask(name: string): unknown };
    expect(() => ask('missing.js')).toThrow('ENOENT');
    expect(() => ask('fails.js')).toThrow('at 1');
    expect(() => ask('fails.js')).toThrow('at 2');
  });

  it('stops with the name of a file that is no program', () => {
    const folder = compiled(FILES).folder;
    writeFileSync(join(folder, 'chunks/torn.js'), 'exports.torn = () => {');
    const torn = compile(folder);
    expect(torn.status).toBe(1);
    expect(torn.stderr).toMatch(/^Could not compile the program in .*: chunks\/torn.js:2\n/);
    rmSync(join(folder, 'index.js'));
    expect(compile(folder).stderr).toContain('ENOENT');
  });
});

/** What may have become of a file of compiled code. */
const fate = fc.oneof(
  fc.constant((bytes: Buffer): Buffer | null => bytes),
  fc.constant(() => null),
  fc.nat().map((at) => (bytes: Buffer) => bytes.subarray(0, at % bytes.length)),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, flipped]) => (bytes: Buffer) => {
    const spoilt = Buffer.from(bytes);
    spoilt.writeUInt8(spoilt.readUInt8(at % spoilt.length) ^ flipped, at % spoilt.length);
    return spoilt;
  }),
  fc.uint8Array({ maxLength: 64 }).map((noise) => () => Buffer.from(noise)),
);

/** Files that ask for each other at once, in circles too, and write down in which order they run. */
const program = fc.integer({ min: 1, max: 6 }).chain((size) =>
  fc.array(
    fc.record({
      before: fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }),
      value: fc.string({ unit: 'binary', maxLength: 8 }),
      fate,
    }),
    { minLength: size, maxLength: size },
  ),
);

describe('any program', () => {
  it("does what it does under Node's own require, whatever has become of what was compiled", () => {
    fc.assert(
      fc.property(program, (files) => {
        const nameOf = (at: number) => (at === 0 ? 'index.js' : `chunks/f${at}.js`);
        const codeOf = ({ before, value }: (typeof files)[number], at: number) =>
          [
            `const seen = (exports.seen = [${JSON.stringify(value)}]);`,
            ...before.map((other) => {
              const path = at === 0 ? `./${nameOf(other)}` : `../${nameOf(other)}`;
              return `seen.push(...(require(${JSON.stringify(path)}).seen ?? ['not yet']));`;
            }),
            `exports.tell = () => seen.join() + ${at} + __filename;`,
          ].join('\n');
        const built = compiled(Object.fromEntries(files.map((file, at) => [nameOf(at), codeOf(file, at)])));
        files.forEach((file, at) => {
          built.keep(nameOf(at), file.fate(built.kept(nameOf(at))));
        });
        const expected = nodeRequire(built.index) as { seen: string[]; tell(): string };
        const got = load(built.index).program as typeof expected;
        expect(got.seen).toEqual(expected.seen);
        expect(got.tell()).toBe(expected.tell());
        rmSync(built.folder, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });
});

describe('a file of compiled code', () => {
  it('is told from one of other code, from a shorter one, and from one with a flipped bit', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.nat(),
        fc.nat({ max: 7 }),
        (code, data, at, bit) => {
          const file = seal(Buffer.from(code), Buffer.from(data));
          expect(unseal(Buffer.from(code), file)).toEqual(Buffer.from(data));
          expect(unseal(Buffer.concat([code, Buffer.of(0)]), file)).toBeNull();
          expect(unseal(Buffer.from(code), file.subarray(0, at % file.length))).toBeNull();
          const spoilt = Buffer.from(file);
          spoilt.writeUInt8(spoilt.readUInt8(at % file.length) ^ (1 << bit), at % file.length);
          expect(unseal(Buffer.from(code), spoilt)).toBeNull();
        },
      ),
    );
  });
});
