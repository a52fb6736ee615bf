import { describe, expect, it } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { FoundFile } from './locate-settings';
import {
  type SettingsFileState,
  watchSettings,
  whenUsable,
  whyRestartFails,
  whyUnusable,
} from './settings-watch';

const FILE = '/data/settings.json';
const GOOD = {
  service: {
    baseUrl: 'https://ads.example',
    authUrl: 'https://auth.example',
    clientId: 'kiosk',
    clientSecret: 'hush',
    projectId: 'project',
  },
};

const withPin = (hash: string) => ({ ...GOOD, admin: { pinHash: `scrypt$${hash}` } });

/**
 * A settings file that is edited while the kiosk runs; returns what was reported after each check.
 *
 * @param others files that it names, or that come before it
 */
function watched(content: object | null, others: Readonly<Record<string, FoundFile>> = {}, takesPins = true) {
  let text: string | null = content && JSON.stringify(content);
  let run: (() => void) | null = null;
  const told: SettingsFileState[] = [];
  const readFile = async (path: string) =>
    path === FILE && text !== null ? { text, readableBy: 'kiosk' as const } : (others[path] ?? null);
  watchSettings({
    file: FILE,
    takesPins,
    search: { configPath: null, env: {}, platform: 'linux', dataDir: '/data', readFile },
    schedule(_ms, next) {
      run = next;
      return () => {};
    },
    everyMs: 1_000,
    onChange: (state) => told.push(state),
  });
  const settled = () => expect.poll(() => run !== null).toBe(true);
  return {
    told,
    async edited(next: object | string | null): Promise<SettingsFileState | undefined> {
      await settled();
      text = next === null || typeof next === 'string' ? next : JSON.stringify(next);
      const look = run;
      run = null;
      look?.();
      await settled();
      return told.at(-1);
    },
  };
}

describe('a settings file of a running kiosk', () => {
  it('that becomes invalid is reported with its errors and with what is in force', async () => {
    const { edited } = watched(GOOD);
    expect(await edited('{"service": nonsense')).toMatchObject({
      kind: 'unusable',
      message: expect.stringMatching(/settings\.json.*\n.*Line 1/),
      advice: expect.stringContaining('uses the settings with which it started'),
    });
    expect(await edited({ ...GOOD, playback: { volume: 'loud' } })).toMatchObject({
      kind: 'unusable',
      message: expect.stringContaining('playback.volume'),
    });
    expect(await edited(null)).toMatchObject({
      kind: 'unusable',
      message: expect.stringMatching(/settings\.json.*\n *There is no such file\.$/),
    });
    expect(await edited(GOOD)).toEqual({ kind: 'in-force' });
  });

  it('is reported without its secrets', async () => {
    const { edited } = watched(GOOD);
    const broken = { ...GOOD, service: { ...GOOD.service, clientSecret: 'new-hush', baseUrl: 7 } };
    expect(JSON.stringify(await edited(broken))).not.toContain('hush');
  });

  it('that has other valid settings waits for a restart', async () => {
    const { edited } = watched(GOOD);
    expect(await edited({ ...GOOD, playback: { imageSeconds: 7 } })).toMatchObject({ kind: 'changed' });
  });

  it('is reported once, not at every check', async () => {
    const { edited, told } = watched(GOOD);
    await edited('{');
    await edited('{');
    expect(told).toHaveLength(1);
  });

  it('is checked again while a file that it names cannot be used', async () => {
    const { clientSecret: text, ...account } = GOOD.service;
    const others: Record<string, FoundFile> = { '/data/secret': { text, readableBy: 'others' } };
    const { edited, told } = watched(GOOD, others);
    const named = { service: { ...account, clientSecretFile: 'secret' } };
    expect(await edited(named)).toMatchObject({ message: expect.stringContaining('chmod 600') });
    delete others['/data/secret'];
    expect(await edited(named)).toMatchObject({ message: expect.stringContaining('There is no file') });
    others['/data/secret'] = { text, readableBy: 'kiosk' };
    expect(await edited(named)).toMatchObject({ kind: 'changed' });
    await edited(named);
    expect(told).toHaveLength(3);
  });

  it('gives way to the one of an operator, which is checked as soon as it is there', async () => {
    const others: Record<string, FoundFile> = {};
    const { edited } = watched(GOOD, others);
    const ofOperator = (text: string) => {
      others['/etc/endcap/config.json'] = { text, readableBy: 'kiosk' };
      return edited(GOOD);
    };
    expect(await ofOperator('{')).toMatchObject({
      kind: 'unusable',
      message: expect.stringContaining('/etc/endcap/config.json'),
    });
    expect(await ofOperator(JSON.stringify({ ...GOOD, playback: { imageSeconds: 7 } }))).toMatchObject({
      kind: 'changed',
      message: expect.stringMatching(/^\/etc\/endcap\/config\.json /),
    });
  });

  it('with another PIN counts as in force, because the overlay changed and already uses it', async () => {
    const { edited, told } = watched(withPin('one'));
    await edited(withPin('two'));
    expect(told.map(({ kind }) => kind)).toEqual(['in-force']);
  });

  it('of an operator with another PIN waits for a restart, because the overlay uses the old one until then', async () => {
    const { edited } = watched(withPin('one'), {}, false);
    expect(await edited(withPin('two'))).toMatchObject({ kind: 'changed' });
    expect(await edited(withPin('one'))).toEqual({ kind: 'in-force' });
  });

  it('whose section `admin` comes with its PIN counts as in force', async () => {
    const { edited } = watched(GOOD);
    expect(await edited(withPin('one'))).toEqual({ kind: 'in-force' });
  });

  it('with a PIN hash that no start accepts is unusable', async () => {
    const { edited } = watched(withPin('one'));
    expect(await edited({ ...GOOD, admin: { pinHash: 'two' } })).toMatchObject({
      kind: 'unusable',
      message: expect.stringContaining('admin.pinHash'),
    });
  });

  it('that begins with a byte order mark holds the same settings', async () => {
    const { edited } = watched(withPin('one'));
    expect(await edited(`\uFEFF${JSON.stringify(withPin('two'))}`)).toEqual({ kind: 'in-force' });
  });

  it('that could not be read at first is compared with its first content', async () => {
    const { edited, told } = watched(null);
    await edited(GOOD);
    expect(told).toEqual([]);
    expect(await edited({ ...GOOD, playback: { imageSeconds: 7 } })).toMatchObject({ kind: 'changed' });
  });
});

describe('whether a restart could use the settings', () => {
  const { clientSecret: text, ...account } = GOOD.service;
  const named = JSON.stringify({ service: { ...account, clientSecretFile: 'secret' } });
  const files: Record<string, FoundFile> = {};
  const readFile = async (path: string) => files[path] ?? null;
  const search = { configPath: null, env: {}, platform: 'linux', dataDir: '/data', readFile } as const;

  /** Reads that fail with these codes; null: there is no such file. */
  const failing = (codes: Readonly<Record<string, string | null>>) => async (path: string) => {
    const code = codes[path];
    if (typeof code === 'string') throw Object.assign(new Error(code), { code });
    return code === null ? null : readFile(path);
  };

  it('is read anew each time, with the files that they name', async () => {
    files[FILE] = { text: named, readableBy: 'kiosk' };
    files['/data/secret'] = { text, readableBy: 'kiosk' };
    expect(await whyUnusable(search)).toBeNull();
    delete files['/data/secret'];
    expect(await whyUnusable(search)).toMatch(
      /settings\.json cannot be used:\n *service\.clientSecretFile: There is no file/,
    );
    delete files[FILE];
    expect(await whyUnusable(search)).toBe('There is no settings file any more.');
    expect(await whyUnusable(null)).toBeNull();
  });

  it.each([
    ['a lack of files (EMFILE)', 'EMFILE', 'secret'],
    ['an error of the disk (EIO)', 'EIO', 'secret'],
    ['a stale mount (ESTALE)', 'ESTALE', 'settings.json'],
  ])(
    'is not denied for %s, which a restart may cure, though none begins by itself',
    async (_what, code, file) => {
      files[FILE] = { text: named, readableBy: 'kiosk' };
      files['/data/secret'] = { text, readableBy: 'kiosk' };
      const reads = { ...search, readFile: failing({ [`/data/${file}`]: code }) };
      expect(await whyUnusable(reads)).toContain(code);
      expect(await whyRestartFails(reads)).toBeNull();
    },
  );

  it.each([
    ['may not be read', { '/data/secret': 'EACCES' }],
    ['is missing', { '/data/secret': null }],
    ['may not be read, whatever else fails', { '/data/secret': 'EACCES', '/data/ca.pem': 'EIO' }],
    ['is missing, whatever else fails', { '/data/secret': null, '/data/ca.pem': 'EIO' }],
  ])('is denied where a file that they name %s', async (_what, codes) => {
    const network = { caFile: 'ca.pem' };
    const service = { ...account, clientSecretFile: 'secret' };
    files[FILE] = {
      text: JSON.stringify({ service, ...('/data/ca.pem' in codes && { network }) }),
      readableBy: 'kiosk',
    };
    const reads = { ...search, readFile: failing(codes) };
    expect(await whyRestartFails(reads)).toMatch(
      /service\.clientSecretFile: (The file .*EACCES|There is no file)/,
    );
  });

  it('is denied for what the settings say', async () => {
    files[FILE] = { text: '{', readableBy: 'kiosk' };
    expect(await whyRestartFails(search)).toMatch(/Line 1, column/);
    delete files[FILE];
    expect(await whyRestartFails(search)).toBe('There is no settings file any more.');
    expect(await whyRestartFails(null)).toBeNull();
  });

  it('counts sealed values as valid, because the keyring is not asked', async () => {
    const service = { ...GOOD.service, clientSecret: { sealed: 'AAAA' } };
    files[FILE] = { text: JSON.stringify({ service }), readableBy: 'kiosk' };
    expect(await whyUnusable(search)).toBeNull();
  });
});

describe('settings that a start could not use', () => {
  const good = { text: JSON.stringify(GOOD), readableBy: 'kiosk' as const };
  const fails = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };

  let isLocked = true;

  /** Returns how often they were reported as usable after each minute; `reads` gives the file of each minute. */
  async function usable(...reads: ReadonlyArray<() => FoundFile | null>): Promise<number[]> {
    const time = handTurnedTime();
    let minute = -1;
    let times = 0;
    const places = { configPath: null, env: {}, platform: 'linux', dataDir: '/data' } as const;
    const readFile = async (file: string) => (file === FILE ? (reads[minute]?.() ?? null) : null);
    const openSealed = async () => (isLocked ? null : 'hush');
    whenUsable({ ...places, readFile, openSealed }, time.schedule, () => {
      times += 1;
    });
    const found: number[] = [];
    for (minute = 0; minute < reads.length; minute += 1) {
      await time.advance(60_000);
      found.push(times);
    }
    return found;
  }

  it.each([
    ['an error of the disk', fails('EIO')],
    ['no free file descriptor', fails('EMFILE')],
    ['a file that is half copied', () => ({ ...good, text: good.text.slice(0, 40) })],
    ['a file that is missing', () => null],
  ])('are read again each minute after %s, and reported once as usable', async (_what, read) => {
    expect(
      await usable(
        read,
        read,
        () => good,
        () => good,
      ),
    ).toEqual([0, 0, 1, 1]);
  });

  it('count as usable once the keyring opens what it has sealed', async () => {
    const service = { ...GOOD.service, clientSecret: { sealed: 'AAAA' } };
    const sealed = () => ({ ...good, text: JSON.stringify({ service }) });
    expect(await usable(sealed, sealed, sealed)).toEqual([0, 0, 0]);
    isLocked = false;
    expect(await usable(sealed)).toEqual([1]);
  });
});
