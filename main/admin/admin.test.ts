import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_SET_UP_FORM } from '../../renderer/admin/testing/empty-set-up-form';
import { type AdminCommand, adminCommands } from '../../shared/admin';
import { testCa } from '../egress/testing/test-ca';
import { findSettings } from '../settings/find-settings';
import { openSecrets } from '../settings/sealed-secrets';
import type { Settings } from '../settings/settings';
import { readFileOnDisk } from '../settings/settings-file-on-disk';
import { pretendKeyring } from '../settings/testing/keyrings';
import { readSettings } from '../settings/testing/read-settings';
import { isPin, readPinHash } from './pin-hash';
import { adminWorld, NOW, PIN, WORKING_SETTINGS } from './testing/admin-world';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-admin-'));
});
// A write of the last recorded action may still be under way.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

const period = { from: NOW - 1_000, to: NOW };
const goodForm = {
  ...EMPTY_SET_UP_FORM,
  baseUrl: 'https://ads.example',
  authUrl: 'https://auth.example',
  clientId: 'kiosk@example',
  clientSecret: 'the-client-secret',
  projectId: 'project-1',
  playerId: 'player-1',
  playerKey: 'retailer-1',
};

/** Some input for every command, so that each can be called. */
const inputs: { readonly [C in AdminCommand]: unknown } = {
  overlay: null,
  tap: { x: 500, y: 500, width: 1920, height: 1080 },
  close: null,
  lock: null,
  unlock: { pin: '0001' },
  setPreferences: { theme: 'dark' },
  home: null,
  ads: { search: '', show: 'all', limit: 10 },
  report: period,
  plays: { period, before: null, limit: 10 },
  beacons: { show: 'open', limit: 10 },
  signals: null,
  log: { level: 'info', search: '', limit: 10 },
  recordedActions: { limit: 10 },
  exportTargets: null,
  export: null,
  startExport: { target: 'folder', format: 'csv', period },
  cancelExport: null,
  act: { action: 'refresh' },
  testConnection: null,
  changePin: { pin: '9517' },
  setUp: null,
  testSetUp: goodForm,
  saveSetUp: { form: goodForm, pin: null },
  judgePin: { pin: '1' },
  tryDemo: null,
};
const commandsFor = (...who: string[]) =>
  (Object.keys(inputs) as AdminCommand[]).filter((command) => who.includes(adminCommands[command].who));

describe('unlocking', () => {
  it('takes five taps in the corner, then the PIN', async () => {
    const world = await adminWorld({ folder });
    await world.tapCorner(4);
    expect([world.view(), [...world.holds]]).toEqual([{ view: 'closed' }, []]);
    await world.tapCorner(1);
    expect([world.view(), [...world.holds]]).toEqual([
      { view: 'locked', attemptsLeft: 5, waitMs: 0 },
      ['overlay'],
    ]);
    expect(await world.unlock('7383')).toEqual({ result: 'wrong', attemptsLeft: 4 });
    expect(await world.unlock()).toEqual({ result: 'unlocked' });
    expect(world.view()).toEqual({ view: 'open', mayAct: true });
    await world.call('close', null);
    expect([world.view(), [...world.holds]]).toEqual([{ view: 'closed' }, []]);
  });

  it('works with the shortcut too', async () => {
    const world = await adminWorld({ folder });
    expect(world.pressShortcut()).toBe(true);
    expect(world.view()).toMatchObject({ view: 'locked' });
  });

  it('is impossible without a PIN: the overlay is read-only', async () => {
    const world = await adminWorld({ folder, hasPin: false });
    world.pressShortcut();
    expect(world.view()).toEqual({ view: 'open', mayAct: false });
    expect(Object.values((await world.home()).actions).every((why) => why === 'locked')).toBe(true);
    expect((await world.home()).suggestions).toEqual([]);
  });

  it('ends a minute after the last input, and the overlay closes another minute later', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    world.time.pass(59_000);
    expect(world.view()).toMatchObject({ view: 'open' });
    world.input();
    world.time.pass(59_000);
    expect(world.view()).toMatchObject({ view: 'open' });
    world.time.pass(1_000);
    expect(world.view()).toMatchObject({ view: 'locked' });
    world.time.pass(60_000);
    expect([world.view(), [...world.holds]]).toEqual([{ view: 'closed' }, []]);
  });

  it('ends with a sleep of the machine, which may be a night', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    world.wake();
    expect([world.view(), [...world.holds]]).toEqual([{ view: 'closed' }, []]);
  });

  it('opens nothing for a PIN whose pad was closed meanwhile, nor the pad after it', async () => {
    const world = await adminWorld({ folder });
    world.pressShortcut();
    const late = world.unlock();
    await world.call('close', null);
    world.pressShortcut();
    expect(await late).toEqual({ result: 'unlocked' });
    expect(world.view()).toEqual({ view: 'locked', attemptsLeft: 5, waitMs: 0 });
  });

  it('counts wrong PINs over a restart', async () => {
    const first = await adminWorld({ folder });
    first.pressShortcut();
    for (const pin of ['0001', '0002', '0003']) await first.unlock(pin);
    const second = await adminWorld({ folder });
    second.pressShortcut();
    expect(second.view()).toEqual({ view: 'locked', attemptsLeft: 2, waitMs: 0 });
    await second.unlock('0004');
    expect(await second.unlock('0005')).toEqual({ result: 'wait', waitMs: 30_000 });
    expect(await second.unlock()).toMatchObject({ result: 'wait' });
    second.time.pass(15_000);
    expect(await second.unlock()).toMatchObject({ result: 'wait' });
    second.time.pass(15_000);
    expect(await second.unlock()).toEqual({ result: 'unlocked' });
  });
});

describe('a call', () => {
  it.each(commandsFor('viewer', 'actor', 'set-up'))(
    '%s is refused while the overlay is closed or locked',
    async (command) => {
      const world = await adminWorld({ folder });
      expect(await world.call(command, inputs[command] as never)).toMatchObject({ refused: 'locked' });
      world.pressShortcut();
      expect(await world.call(command, inputs[command] as never)).toMatchObject({ refused: 'locked' });
    },
  );

  it.each(commandsFor('actor', 'set-up'))('%s is refused if there is no PIN', async (command) => {
    const world = await adminWorld({ folder, hasPin: false });
    world.pressShortcut();
    expect(await world.call(command, inputs[command] as never)).toMatchObject({ refused: 'locked' });
    expect(world.done).toEqual([]);
  });

  it.each(commandsFor('viewer', 'actor', 'set-up'))(
    '%s is answered once the overlay is unlocked',
    async (command) => {
      const world = await adminWorld({ folder });
      await writeFile(join(folder, 'settings.json'), JSON.stringify(WORKING_SETTINGS));
      await world.openUnlocked();
      expect(Object.keys((await world.call(command, inputs[command] as never)) ?? {})).not.toContain(
        'refused',
      );
      world.admin.close();
    },
  );

  it.each([
    ['an unknown command', { call: 1, command: 'toString', input: null }, 'unknown-command'],
    ['an inherited one', { call: 1, command: '__proto__', input: null }, 'unknown-command'],
    ['input of the wrong shape', { call: 1, command: 'unlock', input: { pin: 7382 } }, 'invalid'],
    ['a page of ten thousand', { call: 1, command: 'tap', input: null }, 'invalid'],
  ])('with %s is refused with a code', async (_case, message, code) => {
    const world = await adminWorld({ folder });
    world.raw(message);
    await expect
      .poll(() => world.messages.find(({ kind }) => kind === 'refusal'))
      .toMatchObject({ call: 1, code });
  });

  it.each([null, 'hello', {}, { call: 'one', command: 'home', input: null }])(
    'that is invalid gets no answer: %j',
    async (message) => {
      const world = await adminWorld({ folder });
      const before = world.messages.length;
      world.raw(message);
      await world.call('overlay', null);
      expect(world.messages).toHaveLength(before + 1);
    },
  );

  it('that finishes after the lock returns no data', async () => {
    let finish = () => {};
    const world = await adminWorld({
      folder,
      kiosk: {
        records: {
          run: () => new Promise((resolve) => (finish = () => resolve({ plays: [], next: null } as never))),
        },
      },
    });
    await world.openUnlocked();
    const answer = world.call('plays', inputs.plays as never);
    await world.call('lock', null);
    finish();
    expect(await answer).toMatchObject({ refused: 'locked' });
  });

  it('is refused while thirty-two others run', async () => {
    const world = await adminWorld({ folder, kiosk: { records: { run: () => new Promise(() => {}) } } });
    await world.openUnlocked();
    for (let number = 1_000; number < 1_033; number += 1) {
      world.raw({ call: number, command: 'plays', input: inputs.plays });
    }
    await expect
      .poll(() => world.messages.filter(({ kind }) => kind === 'refusal'))
      .toMatchObject([{ call: 1_032, code: 'busy' }]);
  });

  it('never returns the PIN, its hash or a secret', async () => {
    const world = await adminWorld({ folder });
    await writeFile(join(folder, 'settings.json'), JSON.stringify(WORKING_SETTINGS));
    await world.openUnlocked();
    for (const command of commandsFor('viewer', 'set-up'))
      await world.call(command, inputs[command] as never);
    await world.call('changePin', { pin: '9517' });
    expect(JSON.stringify(world.messages)).not.toMatch(/"7382|"9517|scrypt|a-secret|the-client-secret/);
  });
});

describe('home', () => {
  it('is answered while the overlay is open, and not after it closes', async () => {
    const world = await adminWorld({ folder });
    expect(await world.call('home', null)).toMatchObject({ refused: 'locked' });
    await world.openUnlocked();
    const { now } = (await world.home()).clock;
    world.time.pass(1_000);
    expect((await world.home()).clock.now).toBe(now + 1_000);
    await world.call('close', null);
    for (const [name, { who }] of Object.entries(adminCommands))
      if (who === 'viewer' || who === 'actor')
        expect(await world.call(name as 'home', null), name).toMatchObject({ refused: 'locked' });
  });

  it('identifies this kiosk', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect((await world.home()).kiosk).toEqual({
      id: world.signingKey.fingerprint,
      player: 'player-1',
      hostName: 'kiosk-1',
      addresses: ['192.0.2.7'],
      publicKey: world.signingKey.publicKey,
      environment: 'store',
    });
  });

  it('shows the state to which the kiosk returns, not the hold of the overlay', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect((await world.home()).state).toBe('starting');
    await world.call('act', { action: 'pause', minutes: 15 });
    expect(await world.home()).toMatchObject({ state: 'paused', maintenanceUntil: NOW + 15 * 60_000 });
    expect((await world.home()).suggestions[0]).toBe('resume');
  });
});

describe('an action', () => {
  it('pauses for maintenance, which ends by itself', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    await world.call('act', { action: 'pause', minutes: 10 });
    await world.call('close', null);
    expect([...world.holds]).toEqual(['maintenance']);
    expect(await world.call('overlay', null)).toMatchObject({ maintenanceUntil: NOW + 600_000 });
    world.time.pass(600_000);
    expect([...world.holds]).toEqual([]);
    expect(await world.call('overlay', null)).toMatchObject({ maintenanceUntil: null });
  });

  it('that pauses again replaces the first pause', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    await world.call('act', { action: 'pause', minutes: 10 });
    await world.call('act', { action: 'pause', minutes: 60 });
    await world.call('close', null);
    world.time.pass(11 * 60_000);
    expect([...world.holds]).toEqual(['maintenance']);
    await world.openUnlocked();
    await world.call('act', { action: 'resume' });
    expect([...world.holds]).toEqual(['overlay']);
  });

  it('that pauses holds the loop after a restart, before any request', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    await world.call('act', { action: 'pause', minutes: 10 });
    const again = await adminWorld({ folder });
    expect([...again.holds]).toEqual(['maintenance']);
    expect(await again.call('overlay', null)).toMatchObject({ maintenanceUntil: NOW + 600_000 });
    again.time.pass(600_000);
    expect([...again.holds]).toEqual([]);
  });

  it('keeps the sound after a restart, until staff leave it to the settings again', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect((await world.home()).sound.volume).toBe(0.25);
    await world.call('act', { action: 'sound', volume: 0.5 });
    const again = await adminWorld({ folder });
    await again.openUnlocked();
    expect([(await again.home()).sound.volume, again.preferences.volume()]).toEqual([0.5, 0.5]);
    await again.call('act', { action: 'sound', volume: null });
    expect([(await again.home()).sound.volume, again.preferences.volume()]).toEqual([0.25, null]);
    expect((await adminWorld({ folder })).preferences.volume()).toBeNull();
  });

  it('switches the display: off closes the overlay, and an error is reported', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    await world.call('act', { action: 'display', on: null });
    expect(world.view()).toMatchObject({ view: 'open' });
    await world.call('act', { action: 'display', on: false });
    expect(world.view()).toEqual({ view: 'closed' });
    expect(world.done).toEqual(['display null', 'display false']);
    const broken = await adminWorld({ folder, kiosk: { switchDisplay: async () => 'sway: no output.' } });
    await broken.openUnlocked();
    expect(await broken.call('act', { action: 'display', on: true })).toMatchObject({
      result: 'failed',
      code: 'display-not-switched',
      message: 'sway: no output.',
    });
    const none = await adminWorld({ folder, kiosk: { switchDisplay: null } });
    await none.openUnlocked();
    expect((await none.home()).actions.display).toBe('not-here');
  });

  it('goes on with the next ad: the overlay closes', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    await world.call('act', { action: 'skip' });
    expect(world.view()).toEqual({ view: 'closed' });
  });

  it('that ends the process is answered first', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'restart-player' })).toEqual({ result: 'done' });
    expect(world.done).toEqual([]);
    world.time.pass(1_000);
    expect(world.done).toEqual(['restart-player']);
  });

  it('that this kiosk cannot do is refused', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'restart-kiosk' })).toMatchObject({ refused: 'not-here' });
    const { actions } = await world.home();
    expect(actions).toMatchObject({ 'restart-kiosk': 'not-here', autostart: null, display: null });
  });

  it('reports when the computer does not restart', async () => {
    const machine = {
      restartPlayer() {},
      autostart: {
        read: async () => ({ on: true, by: 'service' as const }),
        set: async () => ({ on: true, by: 'service' as const }),
      },
      restartKiosk: () => Promise.reject(new Error('not permitted')),
      leave() {},
      tryDemo: null,
    };
    const world = await adminWorld({ folder, parts: { machine } });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'restart-kiosk' })).toMatchObject({
      result: 'failed',
      code: 'no-reboot',
    });
  });

  it('reports when the service had no new content, and records it', async () => {
    const message = 'The ads service at ads.example cannot be found.';
    const world = await adminWorld({
      folder,
      kiosk: { refresh: async () => ({ code: 'unreachable-name', message, advice: 'Look at the cable.' }) },
    });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'refresh' })).toEqual({
      result: 'failed',
      code: 'unreachable-name',
      message,
      advice: 'Look at the cable.',
    });
    expect(await world.call('recordedActions', { limit: 1 })).toMatchObject([
      { action: 'refresh', outcome: 'failed', detail: { kind: 'failed', code: 'unreachable-name', message } },
    ]);
  });

  it('that breaks is recorded too', async () => {
    const clearMedia = () => Promise.reject(new Error('EIO'));
    const world = await adminWorld({ folder, kiosk: { clearMedia } });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'clear-media' })).toMatchObject({ refused: 'failed' });
    expect(await world.call('recordedActions', { limit: 1 })).toMatchObject([
      { action: 'clear-media', outcome: 'failed', detail: { kind: 'failed', message: 'EIO' } },
    ]);
  });

  it('ends the player once, however many ends are requested', async () => {
    const ends: string[] = [];
    const machine = {
      restartPlayer: () => void ends.push('restart'),
      leave: () => void ends.push('leave'),
      restartKiosk: null,
      tryDemo: null,
      autostart: {
        read: async () => ({ on: true, by: 'service' as const }),
        set: async () => ({ on: true, by: 'service' as const }),
      },
    };
    const world = await adminWorld({ folder, parts: { machine } });
    await world.openUnlocked();
    expect(await world.call('act', { action: 'restart-player' })).toEqual({ result: 'done' });
    for (const action of ['restart-player', 'leave'] as const) {
      expect(await world.call('act', { action })).toMatchObject({ refused: 'busy' });
    }
    world.time.pass(60_000);
    expect(ends).toEqual(['restart']);
    expect(await readFile(join(folder, 'actions.ndjson'), 'utf8')).not.toContain('"leave"');
  });

  it('is recorded with its time, also wrong PINs, and kept across restarts', async () => {
    const first = await adminWorld({ folder });
    first.pressShortcut();
    await first.unlock('0001');
    await first.unlock();
    await first.call('act', { action: 'clear-media' });
    await expect.poll(() => readFile(join(folder, 'actions.ndjson'), 'utf8')).toContain('clear-media');
    const second = await adminWorld({ folder });
    second.time.pass(5_000);
    await second.openUnlocked();
    expect(await second.call('recordedActions', { limit: 10 })).toEqual([
      { at: NOW + 5_000, action: 'unlocked', detail: null, outcome: 'done' },
      { at: NOW, action: 'clear-media', detail: { kind: 'cleared', files: 3, bytes: 300 }, outcome: 'done' },
      { at: NOW, action: 'unlocked', detail: null, outcome: 'done' },
      { at: NOW, action: 'wrong-pin', detail: null, outcome: 'failed' },
    ]);
  });
});

describe('the connection test', () => {
  it('reports its steps as they end', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('testConnection', null)).toHaveLength(1);
    expect(world.messages.filter(({ kind }) => kind === 'connection-step')).toHaveLength(1);
  });

  it('runs one at a time, and again once that has ended', async () => {
    let end = () => {};
    const ending = new Promise<[]>((resolve) => {
      end = () => resolve([]);
    });
    const world = await adminWorld({ folder, parts: { checkConnection: () => ending } });
    await world.openUnlocked();
    const first = world.call('testConnection', null);
    expect(await world.call('testConnection', null)).toMatchObject({ refused: 'busy' });
    end();
    expect([await first, await world.call('testConnection', null)]).toEqual([[], []]);
  });
});

describe('the PIN', () => {
  it('is changed in the settings that the kiosk wrote itself', async () => {
    await writeFile(join(folder, 'settings.json'), JSON.stringify(WORKING_SETTINGS));
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('changePin', { pin: '1234' })).toEqual({ result: 'weak' });
    expect(await world.call('changePin', { pin: '9517' })).toEqual({ result: 'changed' });
    const file = join(folder, 'settings.json');
    const stored = JSON.parse(await readFile(file, 'utf8'));
    expect(stored).toMatchObject(WORKING_SETTINGS);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const known = readPinHash(stored.admin.pinHash);
    expect(known && (await isPin('9517', known))).toBe(true);
    await world.call('lock', null);
    expect(await world.unlock(PIN)).toMatchObject({ result: 'wrong' });
    expect(await world.unlock('9517')).toEqual({ result: 'unlocked' });
  });

  it.each(['{ "service": { "baseUrl": "https://ads.example" ', '[]', ''])(
    'is not changed where its settings file cannot be read: %s',
    async (text) => {
      const file = join(folder, 'settings.json');
      await writeFile(file, text);
      const world = await adminWorld({ folder });
      await world.openUnlocked();
      const answer = await world.call('changePin', { pin: '9517' });
      expect(answer).toMatchObject({ refused: 'failed', message: expect.stringContaining(file) });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it.each([
    ["an operator's file", '/etc/endcap/config.json', 'managed'],
    ['the demo', null, 'not-here'],
  ])('of %s stays', async (_case, settingsFile, code) => {
    const world = await adminWorld({ folder, settingsFile });
    await world.openUnlocked();
    expect(await world.call('changePin', { pin: '9517' })).toMatchObject({ refused: code });
    expect((await world.home()).actions['change-pin']).toBe(code);
  });
});

describe('the first set-up', () => {
  const first = (parts = {}) =>
    adminWorld({ folder, isSetUp: false, hasPin: false, settingsFile: null, parts });

  it('is shown at once, and nothing else is available', async () => {
    const world = await first();
    expect(await world.call('overlay', null)).toMatchObject({ overlay: { view: 'set-up' } });
    await world.call('close', null);
    world.time.pass(1e6);
    expect(await world.call('overlay', null)).toMatchObject({ overlay: { view: 'set-up' } });
    expect(await world.call('home', null)).toMatchObject({ refused: 'locked' });
  });

  it('reports errors by field', async () => {
    const world = await first();
    const result = await world.call('testSetUp', { ...goodForm, baseUrl: 'ads.example', clientId: '' });
    if (!('problems' in result)) throw new Error('it was taken');
    expect(result.problems.map(({ field }) => field).sort()).toEqual(['baseUrl', 'clientId']);
  });

  it('tests the typed values without storing them', async () => {
    const tried: string[] = [];
    const world = await first({
      checkConnection: async (settings: { service: { baseUrl: string } }) => {
        tried.push(settings.service.baseUrl);
        return [];
      },
    });
    expect(await world.call('testSetUp', goodForm)).toEqual({ result: 'tested', steps: [] });
    expect(tried).toEqual(['https://ads.example']);
    await expect(stat(join(folder, 'settings.json'))).rejects.toThrow('ENOENT');
  });

  it('signs in where there is an address for it, and nowhere else', async () => {
    const world = await first();
    const form = { ...goodForm, authUrl: '', clientId: '', clientSecret: null, projectId: '' };
    expect(await world.call('saveSetUp', { form, pin: '7382' })).toMatchObject({ result: 'saved' });
    const stored = JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'));
    expect(stored.ads.authentication).toBe('none');
    expect(stored.service).toEqual({ baseUrl: goodForm.baseUrl });
  });

  it('goes on without sign-in once its address is emptied', async () => {
    await writeFile(join(folder, 'settings.json'), JSON.stringify(WORKING_SETTINGS));
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    const form = { ...goodForm, authUrl: '', clientId: '', clientSecret: null, projectId: '' };
    expect(await world.call('saveSetUp', { form, pin: '8264' })).toMatchObject({ result: 'saved' });
    const stored = JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'));
    expect(stored.service).toEqual({ baseUrl: goodForm.baseUrl });
  });

  it('keeps ads without a token where the account is for the registration only', async () => {
    const settings = { ...WORKING_SETTINGS, ads: { authentication: 'none' } };
    await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    const form = { ...goodForm, playerId: 'player-2', clientSecret: null };
    expect(await world.call('saveSetUp', { form, pin: '8264' })).toMatchObject({ result: 'saved' });
    const stored = JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'));
    expect(stored.ads).toMatchObject({ authentication: 'none', params: { playerid: 'player-2' } });
  });

  it.each([
    ['', ['player-1', 'player-2']],
    ['player-3', 'player-3'],
  ])(
    'keeps a list of players, which its form cannot show, unless one is entered: "%s"',
    async (entered, kept) => {
      const settings = { ...WORKING_SETTINGS, ads: { params: { playerid: ['player-1', 'player-2'] } } };
      const file = join(folder, 'settings.json');
      await writeFile(file, JSON.stringify(settings));
      const world = await adminWorld({ folder });
      await world.openUnlocked();
      const form = { ...goodForm, playerId: entered, clientSecret: null };
      expect(await world.call('saveSetUp', { form, pin: '8264' })).toMatchObject({ result: 'saved' });
      expect(JSON.parse(await readFile(file, 'utf8')).ads.params.playerid).toEqual(kept);
    },
  );

  it('requires a PIN that is not weak', async () => {
    const world = await first();
    expect(await world.call('saveSetUp', { form: goodForm, pin: null })).toMatchObject({
      result: 'weak-pin',
    });
    expect(await world.call('saveSetUp', { form: goodForm, pin: '1111' })).toEqual({
      result: 'weak-pin',
    });
    expect(await world.call('judgePin', { pin: '1111' })).toBe(true);
    expect(await world.call('judgePin', { pin: '7382' })).toBe(false);
  });

  it('writes settings that only the kiosk can read, and restarts with them', async () => {
    const world = await first();
    const form = {
      ...goodForm,
      nativeUrl: 'https://native.example',
      apptoken: 'app-token',
      zoneId: 'zone-1',
    };
    const file = join(folder, 'settings.json');
    expect(await world.call('saveSetUp', { form, pin: '7382' })).toEqual({ result: 'saved', file });
    world.time.pass(1_000);
    expect(world.done).toEqual(['restart-player']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const read = readSettings(JSON.parse(await readFile(file, 'utf8')), file);
    if (read.kind === 'error') throw new Error(read.message);
    expect(read.settings.ads.params).toEqual({ playerid: 'player-1', key: 'retailer-1' });
    expect(read.settings.native).toMatchObject({ enabled: true, zoneid: 'zone-1' });
    expect(read.settings.service.clientSecret?.reveal()).toBe('the-client-secret');
  });

  it('seals its secrets if there is a keyring, and keeps sealed secrets that are not typed again', async () => {
    const keyring = pretendKeyring();
    const file = join(folder, 'settings.json');
    const text = () => readFile(file, 'utf8');
    await (await first({ keyring })).call('saveSetUp', { form: goodForm, pin: '7382' });
    expect(await text()).not.toContain('the-client-secret');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const later = await adminWorld({ folder, parts: { keyring } });
    await later.openUnlocked();
    const page = await later.call('setUp', null);
    if (!('form' in page)) throw new Error('there is no set-up');
    expect(page.has.clientSecret).toBe(true);
    await later.call('saveSetUp', { form: { ...page.form, projectId: 'project-2' }, pin: null });
    await later.call('changePin', { pin: '8264' });
    expect(await text()).toContain('project-2');
    expect(await text()).not.toContain('the-client-secret');
    const { raw } = await openSecrets(JSON.parse(await text()), keyring.open);
    expect(raw).toMatchObject({ service: { clientSecret: 'the-client-secret' } });
  });

  it('tests and stores the proxy and the CAs of the store', async () => {
    const tried: Settings[] = [];
    const world = await first({
      checkConnection: async (settings: Settings) => {
        tried.push(settings);
        return [];
      },
    });
    const ca = testCa('The CA of a store').cert;
    await writeFile(join(folder, 'ca.pem'), ca);
    const form = {
      ...goodForm,
      proxyUrl: 'http://proxy.store:3128',
      proxyUser: 'kiosk',
      proxyPassword: 'p@ss',
      caFile: 'ca.pem',
    };
    expect(await world.call('testSetUp', form)).toMatchObject({ result: 'tested' });
    const network = tried[0]?.network;
    expect(network?.proxy).toMatchObject({ hostname: 'proxy.store', port: 3128 });
    if (network?.proxy === 'system') throw new Error('another proxy');
    expect(network?.proxy?.credentials?.reveal()).toBe('kiosk:p@ss');
    expect(network?.additionalCas.join('').trim()).toBe(ca.trim());
    await world.call('saveSetUp', { form, pin: '7382' });
    expect(JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8')).network).toEqual({
      proxy: 'http://kiosk:p%40ss@proxy.store:3128',
      caFile: 'ca.pem',
    });
  });

  it('reports an error of proxy or CA file beside its field', async () => {
    const world = await first();
    const problemsOf = async (entered: object) => {
      const result = await world.call('testSetUp', { ...goodForm, ...entered });
      if (!('problems' in result)) throw new Error('it was taken');
      return result.problems;
    };
    const [proxy] = await problemsOf({ proxyUrl: 'proxy.store', proxyUser: 'kiosk', proxyPassword: 'p@ss' });
    expect(proxy).toMatchObject({ field: 'proxyUrl', message: expect.stringContaining('http://host:port') });
    expect(JSON.stringify(proxy)).not.toContain('p@ss');
    const [file] = await problemsOf({ caFile: '/nothing/here.pem' });
    expect(file).toMatchObject({ field: 'caFile', message: 'There is no file /nothing/here.pem.' });
  });

  it('seals the proxy with its password, sends the page only address and user, and keeps the password', async () => {
    const keyring = pretendKeyring();
    const file = join(folder, 'settings.json');
    const text = () => readFile(file, 'utf8');
    const proxy = { proxyUrl: 'http://proxy.store:3128', proxyUser: 'kiosk', proxyPassword: 'p@ss' };
    await (await first({ keyring })).call('saveSetUp', { form: { ...goodForm, ...proxy }, pin: '7382' });
    expect(await text()).not.toMatch(/p@ss|p%40ss/);

    const later = await adminWorld({ folder, parts: { keyring } });
    await later.openUnlocked();
    const page = await later.call('setUp', null);
    if (!('form' in page)) throw new Error('there is no set-up');
    expect(page.form).toMatchObject({ ...proxy, proxyPassword: null });
    expect(page.has.proxyPassword).toBe(true);
    await later.call('saveSetUp', { form: { ...page.form, projectId: 'project-2' }, pin: null });
    expect(await text()).not.toMatch(/p@ss|p%40ss/);
    const { raw } = await openSecrets(JSON.parse(await text()), keyring.open);
    expect(raw).toMatchObject({ network: { proxy: 'http://kiosk:p%40ss@proxy.store:3128' } });
    // If no keyring can be asked, the sealed address counts as valid.
    expect(
      await findSettings({
        configPath: file,
        env: {},
        platform: 'linux',
        dataDir: folder,
        readFile: readFileOnDisk,
        openSealed: null,
      }),
    ).toMatchObject({ kind: 'settings', sealed: ['service.clientSecret', 'network.proxy'] });
  });

  it('reports the steps of its test as they end', async () => {
    const world = await first();
    await world.call('testSetUp', goodForm);
    expect(world.messages.findLast(({ kind }) => kind === 'connection-step')).toMatchObject({
      step: { step: 'token', ok: true },
    });
  });

  it('sends nothing after the configured kiosk takes over', async () => {
    const world = await first();
    await world.call('saveSetUp', { form: goodForm, pin: '7382' });
    world.admin.close();
    const timers = world.messages.length;
    world.time.pass(10_000);
    expect(world.messages).toHaveLength(timers);
  });

  it('can try the demo', async () => {
    const world = await first();
    await world.call('tryDemo', null);
    world.time.pass(1_000);
    expect(world.done).toEqual(['demo']);
  });
});

describe('a later set-up', () => {
  const stored = { ...WORKING_SETTINGS, playback: { imageSeconds: 7 }, admin: { pinHash: 'scrypt$x' } };

  it('keeps secrets that are not typed again, the PIN, and all other settings', async () => {
    await writeFile(join(folder, 'settings.json'), JSON.stringify(stored));
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    const page = await world.call('setUp', null);
    if (!('form' in page)) throw new Error('there is no set-up');
    expect(page).toMatchObject({
      form: { baseUrl: 'https://ads.example', clientId: 'kiosk', clientSecret: null },
      has: { clientSecret: true, apptoken: false, proxyPassword: false, pin: true },
    });
    const form = { ...page.form, projectId: 'project-2' };
    expect(await world.call('saveSetUp', { form, pin: null })).toMatchObject({ result: 'saved' });
    expect(JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))).toEqual({
      ...stored,
      service: { ...stored.service, projectId: 'project-2' },
      ads: { authentication: 'bearer' },
      native: { enabled: false },
    });
  });

  it.each([
    [null, { clientSecretFile: 'secret' }],
    ['', { clientSecretFile: 'secret' }],
    ['the-new-secret', { clientSecret: 'the-new-secret' }],
  ])('has a typed secret take the place of the secret file: %s', async (clientSecret, kept) => {
    const { clientSecret: _, ...account } = stored.service;
    await writeFile(join(folder, 'secret'), 'the-old-secret\n', { mode: 0o600 });
    const file = join(folder, 'settings.json');
    await writeFile(file, JSON.stringify({ ...stored, service: { ...account, clientSecretFile: 'secret' } }));
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    const page = await world.call('setUp', null);
    if (!('form' in page)) throw new Error('there is no set-up');
    expect(page.has.clientSecret).toBe(true);
    const form = { ...page.form, clientSecret };
    expect(await world.call('saveSetUp', { form, pin: null })).toMatchObject({ result: 'saved' });
    expect(JSON.parse(await readFile(file, 'utf8')).service).toEqual({ ...account, ...kept });
  });

  it('of the demo needs a PIN of its own', async () => {
    const world = await adminWorld({ folder, settingsFile: null });
    await world.openUnlocked();
    expect(await world.call('setUp', null)).toMatchObject({ has: { pin: false } });
    expect(await world.call('saveSetUp', { form: goodForm, pin: null })).toMatchObject({
      result: 'weak-pin',
    });
    expect(await world.call('saveSetUp', { form: goodForm, pin: '9517' })).toMatchObject({ result: 'saved' });
  });

  it('does not change the operator’s file', async () => {
    const file = join(folder, 'config.json');
    await writeFile(file, JSON.stringify(stored));
    const world = await adminWorld({ folder, settingsFile: file });
    await world.openUnlocked();
    expect(await world.call('setUp', null)).toMatchObject({ refused: 'managed' });
    expect(await world.call('saveSetUp', { form: goodForm, pin: '7382' })).toMatchObject({
      refused: 'managed',
    });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(stored);
  });
});

describe('preferences', () => {
  it('are sent to the page as soon as they are chosen', async () => {
    const world = await adminWorld({ folder });
    await world.call('setPreferences', { language: 'en', theme: 'light' });
    expect(world.messages.findLast(({ kind }) => kind === 'overlay')).toMatchObject({
      state: { preferences: { language: 'en', theme: 'light' } },
    });
  });

  it('use the language of the settings until another is chosen, and are kept', async () => {
    const world = await adminWorld({ folder });
    expect(await world.call('overlay', null)).toMatchObject({
      preferences: { language: 'de', theme: 'system' },
    });
    await world.call('setPreferences', { language: 'en' });
    await world.call('setPreferences', { theme: 'dark' });
    const again = await adminWorld({ folder });
    expect(await again.call('overlay', null)).toMatchObject({
      preferences: { language: 'en', theme: 'dark' },
    });
  });
});

describe('an export', () => {
  it('continues while the overlay is closed, and is shown when it opens again', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('exportTargets', null)).toMatchObject([{ id: 'folder', kind: 'folder' }]);
    expect(await world.call('startExport', { target: 'folder', format: 'csv', period })).toMatchObject({
      state: 'running',
    });
    await world.call('close', null);
    await expect.poll(() => readFile(join(folder, 'actions.ndjson'), 'utf8')).toMatch(/"export".*"rows":2/);
    await world.openUnlocked();
    expect(await world.call('export', null)).toMatchObject({ state: 'finished', rows: 2 });
    expect(world.done).toEqual(['export begins', 'export ends']);
    expect(await world.call('startExport', { target: 'usb:/gone', format: 'csv', period })).toMatchObject({
      refused: 'no-target',
    });
  });

  it('asks a drive that does not answer only once, however often its places are looked up', async () => {
    const asked: string[] = [];
    const none = () => Promise.reject(new Error('no such system'));
    const freeBytes = (path: string) => {
      asked.push(path);
      return new Promise<never>(() => {});
    };
    const world = await adminWorld({
      folder,
      parts: { driveFiles: { read: none, realpath: none, freeBytes } },
    });
    await world.openUnlocked();
    for (let times = 0; times < 3; times += 1) {
      const places = world.call('exportTargets', null);
      let isAnswered = false;
      void places.then(() => {
        isAnswered = true;
      });
      await expect.poll(() => world.time.advance(1_000).then(() => isAnswered)).toBe(true);
      expect(await places).toMatchObject([{ id: 'folder', freeBytes: null }]);
    }
    expect(asked).toHaveLength(1);
  });

  it('is cancelled at an orderly end, which does not wait for books that do not answer', async () => {
    let answer: ((page: unknown) => void) | null = null;
    const run = () =>
      new Promise<never>((resolve) => {
        answer = resolve as (page: unknown) => void;
      });
    const world = await adminWorld({ folder, kiosk: { records: { run } } });
    await world.openUnlocked();
    await world.call('startExport', { target: 'folder', format: 'csv', period });
    await expect.poll(() => answer).not.toBeNull();
    const files = () => readdir(join(folder, 'exports'));
    expect(await files()).toHaveLength(1);
    world.admin.close();
    (answer as ((page: unknown) => void) | null)?.({ plays: [], next: null, moves: '' });
    await expect.poll(files).toEqual([]);
  });
});

it('a click is called so, without the id that tells it from the next one in the books', async () => {
  const row = (event: string) => ({
    ...{ event, url: 'https://t.example/', state: 'sent', attempts: 1, eventAt: NOW },
    ...{ dueAt: NOW, finishedAt: NOW, lastError: null },
  });
  const rows = ['click-6f1e4a52-0c0d-4f3a-9a6b-3a1d5f0b7c11', 'click', 'impression'].map(row);
  const world = await adminWorld({ folder, kiosk: { records: { run: async () => rows as never } } });
  await world.openUnlocked();
  const page = await world.call('beacons', { show: 'sent', limit: 10 });
  expect(page).toMatchObject({ rows: [{ event: 'click' }, { event: 'click' }, { event: 'impression' }] });
});

it('the errors of scripts show addresses without their keys', async () => {
  const row = {
    event: 'impression',
    url: '',
    state: 'refused',
    attempts: 1,
    eventAt: NOW,
    dueAt: NOW,
    finishedAt: NOW,
    lastError: null,
    script: { position: 1, result: 'threw', detail: 'Error at https://t.example/a.js?key=SECRET:1' },
  };
  const world = await adminWorld({ folder, kiosk: { records: { run: async () => [row] as never } } });
  await world.openUnlocked();
  const page = await world.call('beacons', { show: 'lost', limit: 10 });
  expect(page).toMatchObject({ rows: [{ lastError: expect.stringContaining('https://t.example/a.js') }] });
  expect(JSON.stringify(page)).not.toContain('SECRET');
});

describe('a report', () => {
  it('asks to retry while plays are still being counted', async () => {
    const world = await adminWorld({ folder });
    await world.openUnlocked();
    expect(await world.call('report', period)).toEqual({ state: 'counting', done: 0.25 });
  });
});
