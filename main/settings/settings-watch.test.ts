import { describe, expect, it } from 'vitest';
import { type SettingsFileState, watchSettings } from './settings-watch';

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

/** A settings file that is edited while the kiosk runs; returns what was reported after each check. */
function watched(content: object | string) {
  let text: string | null = typeof content === 'string' ? content : JSON.stringify(content);
  let run: (() => void) | null = null;
  const told: SettingsFileState[] = [];
  const readFile = async (path: string) =>
    path === FILE && text !== null ? { text, readableBy: 'kiosk' as const } : null;
  const watch = watchSettings({
    file: FILE,
    readFile,
    env: {},
    platform: 'linux',
    schedule(_ms, next) {
      run = next;
      return () => {
        run = null;
      };
    },
    everyMs: 1_000,
    onChange: (standing) => told.push(standing),
  });
  const settled = () => expect.poll(() => run !== null).toBe(true);
  return {
    watch,
    told,
    isWaiting: () => run !== null,
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
    expect(await edited(null)).toMatchObject({ kind: 'unusable' });
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

  it('with another PIN counts as in force, because the overlay changed and already uses it', async () => {
    const { edited, told } = watched({ ...GOOD, admin: { pinHash: 'one' } });
    await edited({ ...GOOD, admin: { pinHash: 'two' } });
    expect(told.map(({ kind }) => kind)).toEqual(['in-force']);
  });

  it('is no longer checked after the watch stops', async () => {
    const { edited, watch, isWaiting } = watched(GOOD);
    await edited(GOOD);
    watch.stop();
    expect(isWaiting()).toBe(false);
  });
});
