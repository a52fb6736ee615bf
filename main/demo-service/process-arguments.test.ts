import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processArguments } from './process-arguments';

describe('the command line', () => {
  it('chooses a free port and no kiosk by default', () => {
    expect(processArguments([])).toEqual({ port: 0, kiosk: null });
    expect(processArguments(['--port', '8080'])).toEqual({ port: 8080, kiosk: null });
  });

  it("reads the kiosk's token at each use", () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-service-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'signals-token');
    const { kiosk } = processArguments([
      '--signals-url',
      'http://127.0.0.1:9777',
      '--signals-token-file',
      file,
    ]);
    const token = () => (typeof kiosk?.token === 'function' ? kiosk.token() : kiosk?.token);
    expect(token).toThrow('ENOENT');
    writeFileSync(file, 'abc\n');
    expect(token()).toBe('abc');
    writeFileSync(file, 'def');
    expect(token()).toBe('def');
    expect(kiosk?.url).toBe('http://127.0.0.1:9777');
  });

  it.each([
    [['--port', 'x'], '--port: expected 0 to 65535, got "x"'],
    [['--port', '65536'], '--port: expected 0 to 65535, got "65536"'],
    [['--signals-url', 'http://127.0.0.1:1'], 'belong together'],
    [
      ['--signals-url', 'nowhere', '--signals-token-file', 'f'],
      '--signals-url: expected an address, got "nowhere"',
    ],
    [['--colour'], 'colour'],
  ])('refuses %j', (args, message) => {
    expect(() => processArguments(args)).toThrow(message);
  });
});
