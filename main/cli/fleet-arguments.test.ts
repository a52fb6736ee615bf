import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testCa } from '../egress/testing/test-ca';
import { readPublicKey } from '../fleet/signing-key';
import { CommandError } from './command-result';
import { type FleetOptions, readAddressee, readSeconds } from './fleet-arguments';
import { parseCommand } from './fleet-command-syntax';
import { makeCommandKey, readCommandKey } from './fleet-keys';
import { fleet } from './testing/run-fleet';

const folder = mkdtempSync(join(tmpdir(), 'endcap-fleet-arguments-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const order = (words: string, options: object = {}, text = '{}') =>
  parseCommand(words.split(' '), { options, now: Date.UTC(2026, 10, 22), readText: async () => text });

describe('endcap fleet keys', () => {
  it('makes a key that only its owner reads, and prints the line for the settings', async () => {
    const file = join(folder, 'new.pem');
    const { exitCode, stdout, stderr } = await fleet(['keys', file]);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      `fleet: ${file} is your key: copy it to no kiosk. Add the line that is printed to fleet.commandKeys of the kiosks\n`,
    );
    expect(stdout).toMatch(/^ed25519:[A-Za-z0-9_-]{43}\n$/);
    expect(readPublicKey(stdout)).not.toBeNull();
    expect(readFileSync(file, 'utf8')).toContain('BEGIN PRIVATE KEY');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('never overwrites a key', async () => {
    const file = join(folder, 'kept.pem');
    const first = await fleet(['keys', file]);
    const before = readFileSync(file);
    const { exitCode, stderr } = await fleet(['keys', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`there is a file already, ${first.stdout.trim()}`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('leaves no empty file where the disk does not take the key, so that the next try works', async () => {
    const file = join(folder, 'full.pem');
    const onFullDisk: typeof open = async (...how) => {
      const handle = await open(...how);
      handle.sync = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      return handle;
    };
    await expect(makeCommandKey(file, onFullDisk)).rejects.toThrow(
      new CommandError(`${file}: cannot be written (ENOSPC)`),
    );
    expect((await fleet(['keys', file])).exitCode).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('are not used when others may read them', async () => {
    const file = join(folder, 'open.pem');
    await fleet(['keys', file]);
    chmodSync(file, 0o644);
    await expect(readCommandKey(file)).rejects.toThrow(
      `${file}: expected a key that its owner alone may read, got mode 644. Run: chmod 600 '${file}'`,
    );
  });
});

describe('the arguments of endcap fleet', () => {
  it.each([
    ['refresh', {}, { name: 'refresh' }],
    ['screenshot', {}, { name: 'screenshot', width: 480 }],
    ['screenshot 640', {}, { name: 'screenshot', width: 640 }],
    ['pause 30', {}, { name: 'pause', minutes: 30 }],
    ['volume 0', {}, { name: 'volume', volume: 0 }],
    ['volume auto', {}, { name: 'volume', volume: null }],
    ['display auto', {}, { name: 'display', on: null }],
    ['display off', {}, { name: 'display', on: false }],
    ['log 5', {}, { name: 'log', lines: 5 }],
    ['settings none', {}, { name: 'settings', settings: null }],
    ['settings x.json', {}, { name: 'settings', settings: { a: 1 } }],
    [
      'announce Leave!',
      { severity: 'emergency', until: '30m' },
      {
        name: 'announce',
        text: 'Leave!',
        severity: 'emergency',
        language: 'en',
        until: '2026-11-22T00:30:00.000Z',
      },
    ],
    [
      'announce',
      { end: true },
      { name: 'announce', text: null, severity: 'information', language: 'en', until: null },
    ],
  ])('%s %j', async (words, options, command) => {
    expect(await order(words, options, '{"a":1}')).toEqual(command);
  });

  it.each<[string, RegExp, FleetOptions?]>([
    ['', /expected a command \(refresh, .+\), got nothing/],
    ['explode', /expected a command .+, got "explode"/],
    ['toString', /expected a command/],
    ['refresh now', /expected refresh, got "refresh now"/],
    ['pause', /expected pause MINUTES, got "pause" \(minutes: /],
    ['pause 0', /expected pause MINUTES/],
    ['pause 1 2', /expected pause MINUTES/],
    ['volume loud', /expected volume 0…1/],
    ['volume 1.1', /expected volume 0…1/],
    ['display maybe', /expected display on\|off\|auto/],
    ['announce', /expected announce TEXT/],
    ['refresh', /send: refresh takes no --until/, { until: '30m' }],
    ['announce Leave!', /expected announce TEXT .+, got "announce Leave!"/, { end: true }],
    ['announce', /send: announce --end takes no --until/, { end: true, until: '30m' }],
    ['settings x.json', /x\.json: expected settings as JSON; line 1, column 1: expected a value/],
  ])('%j is refused', async (words, why, options = {}) => {
    await expect(order(words, options, 'no JSON')).rejects.toThrow(why);
  });

  it('reads settings with the byte order mark of a Windows editor', async () => {
    expect(await order('settings x.json', {}, '\uFEFF{"a":1}')).toEqual({
      name: 'settings',
      settings: { a: 1 },
    });
  });

  it('refuses an announcement of more than a day, as each kiosk would', async () => {
    const asked = order('announce Leave!', { until: '25h' }, '');
    await expect(asked).rejects.toThrow(/--until: expected .+ at most 86400 seconds, got "25h"/);
  });

  it.each([
    ['all', 'all'],
    ['aaaa000000000001', 'kiosk:aaaa000000000001'],
    ['kiosk:aaaa000000000001', 'kiosk:aaaa000000000001'],
    ['group:north', 'group:north'],
  ])('--to %s', (words, to) => expect(readAddressee(words)).toBe(to));

  it.each([undefined, '', 'everyone', 'group:', 'group:a/b', 'group:+', '../x', 'AAAA000000000001'])(
    '--to %s is refused',
    (words) => expect(() => readAddressee(words)).toThrow(/--to: expected a kiosk's name/),
  );

  it.each([
    ['90s', 90],
    ['5m', 300],
    ['2h', 7_200],
    ['7d', 604_800],
  ])('reads the duration %s', (words, seconds) => expect(readSeconds('valid', words, 604_800)).toBe(seconds));

  it.each(['8d', '0s', '5', '-1m', 'm', '1e3s'])('refuses the duration %s', (words) =>
    expect(() => readSeconds('valid', words, 604_800)).toThrow(/--valid: expected a time such as/),
  );

  it.each([
    [[], /expected keys, list, .+ got nothing/],
    [['--to', 'all'], /got nothing/],
    [['explode'], /got "explode"/],
    [['list', '--brokr', 'x'], /Unknown option '--brokr'/],
    [['list'], /expected --broker URL or ENDCAP_FLEET_BROKER/],
    [['list', '--broker', 'http://x'], /--broker: expected mqtt:/],
    [['list', '--broker', 'mqtts://u:geheim@x'], /--broker: expected mqtt:.+no user or password in it/],
    [['list', '--broker', 'mqtt://x', '--prefix', 'a/#'], /--prefix: expected topic levels/],
    [['list', '--broker', 'mqtt://x', '--ca-file', '/no/such'], /\/no\/such: there is no such file/],
    [
      ['list', '--broker', 'mqtts://x', '--password-file', __filename],
      /expected --username NAME with --password-file/,
    ],
    [['list', '--broker', 'mqtts://x', '--cert-file', __filename], /--cert-file and --key-file together/],
    [['send', 'explode', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'], /send: expected a command/],
    [['send', 'refresh', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'], /expected --sign-key FILE/],
    [['blocks', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'], /--sign-key FILE or --trust-key/],
    [
      ['unblock', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'],
      /expected at least one THING such as .+ or --all/,
    ],
    [
      ['unblock', 'flight:f1', '--replace', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'],
      /unblock: --replace begins an empty list/,
    ],
    [['screenshot', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'], /expected --out DIR/],
    [['keys'], /keys: expected the file for the new key/],
    [['keys', 'new.pem', '--json'], /keys takes no --json/],
    [['list', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'], /list takes no --to/],
    [
      ['list', 'group:north', '--broker', 'mqtt://127.0.0.1:1'],
      /list: expected options only, got "group:north"/,
    ],
    [
      ['blocks', 'flight:f1', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'],
      /blocks: expected options only, got "flight:f1"/,
    ],
    [
      ['block', 'flight:f1', '--valid', '1h', '--to', 'all', '--broker', 'mqtt://127.0.0.1:1'],
      /block takes no --valid/,
    ],
  ])('%j is wrong usage', async (args, why) => {
    const { exitCode, stderr } = await fleet(args);
    expect({ exitCode, lines: stderr.split('\n').length }).toEqual({ exitCode: 2, lines: 2 });
    expect(stderr).toMatch(why);
    expect(stderr).not.toContain('geheim');
  });

  it('refuses files of the connection that hold something else, before it connects', async () => {
    const [own, other] = [testCa('CA').issue('operator'), testCa('CA').issue('operator')];
    const put = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [cert, key] = [put('own.crt', own.cert), put('own.key', own.key)];
    const [wrong, otherKey] = [put('wrong.pem', 'geheim'), put('other.key', other.key)];
    const cases = [
      [['--ca-file', wrong], `${wrong} holds no certificate`],
      [['--cert-file', wrong, '--key-file', key], `${wrong} holds no certificate`],
      [['--cert-file', cert, '--key-file', wrong], `${wrong} cannot be read as a key`],
      [
        ['--cert-file', cert, '--key-file', otherKey],
        `${otherKey} does not belong to the certificate in ${cert}`,
      ],
    ] as const;
    for (const [args, why] of cases) {
      const { exitCode, stderr } = await fleet(['list', '--broker', 'mqtts://127.0.0.1:1', ...args]);
      expect(stderr).toContain(why);
      expect(stderr).not.toContain('geheim');
      expect(exitCode).toBe(2);
    }
  });

  it('sends a password only over TLS, except to this machine', async () => {
    const file = join(folder, 'password');
    writeFileSync(file, 'geheim\n');
    const args = ['list', '--username', 'u', '--password-file', file, '--broker'];
    const { exitCode, stderr } = await fleet([...args, 'mqtt://broker.example']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2 });
    expect(stderr).toContain('mqtt://broker.example:1883: a password travels over TLS only');
    expect(stderr).not.toContain('geheim');
    expect((await fleet([...args, 'mqtt://127.0.0.1:1'])).exitCode).toBe(1);
  });
});
