import { describe, expect, it } from 'vitest';
import { hashPin } from '../admin/pin-hash';
import { testCa } from '../egress/testing/test-ca';
import type { FoundFile } from '../settings/locate-settings';
import { runCheckConfig } from './check-config-command';

const FIT = {
  service: {
    baseUrl: 'https://ads.example.com',
    authUrl: 'https://login.example.com',
    clientId: 'kiosk@example',
    clientSecret: 'hush-hush-1',
    projectId: 'p',
  },
  admin: { pinHash: await hashPin('7382') },
};

function check(
  args: readonly string[],
  files: Record<string, Partial<FoundFile>>,
  env = {},
  hidden: readonly string[] = [],
  more: Partial<Parameters<typeof runCheckConfig>[1]> = {},
) {
  return runCheckConfig(args, {
    isOtherUser: false,
    env,
    platform: 'linux',
    dataDir: '/var/lib/endcap',
    readFile: async (file) => {
      const found = files[file];
      return found === undefined ? null : { text: '', readableBy: 'kiosk', ...found };
    },
    openSealed: null,
    hidden,
    now: () => Date.parse('2026-12-10T12:00:00Z'),
    async listFolder(folder) {
      if (folder !== '/srv/house') throw Object.assign(new Error('it is not there'), { code: 'ENOENT' });
    },
    ...more,
  });
}

describe('check-config', () => {
  it('says that it did not check secrets in the keyring', async () => {
    const service = { ...FIT.service, clientSecret: { sealed: 'AAAA' } };
    const files = { '/etc/endcap/config.json': { text: JSON.stringify({ ...FIT, service }) } };
    expect(await check([], files)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('service.clientSecret is sealed by the keyring'),
    });
  });

  it('says that it did not check credentials of systemd', async () => {
    const { clientSecret: _secret, ...account } = FIT.service;
    const service = {
      ...account,
      clientSecretFile: '$CREDENTIALS_DIRECTORY/client-secret',
      headers: { 'x-key': { file: '$CREDENTIALS_DIRECTORY/key' } },
    };
    const files = { '/etc/endcap/config.json': { text: JSON.stringify({ service }) } };
    const { exitCode, stderr } = await check([], files);
    expect(stderr).toMatch(/client-secret is a credential of systemd.*\n.*key is a credential of systemd/);
    expect(exitCode).toBe(0);
    const inUnit = await check([], files, { CREDENTIALS_DIRECTORY: '/run/cred' });
    expect(inUnit).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('/run/cred/client-secret') });
  });

  it('reports that a valid file is fit to use, and names the file', async () => {
    const files = { '/etc/endcap/config.json': { text: JSON.stringify(FIT) } };
    expect(await check([], files)).toEqual({
      exitCode: 0,
      stdout: 'The settings in /etc/endcap/config.json are fit to use.\n',
      stderr: '',
    });
  });

  it('reads the file it was given', async () => {
    const files = {
      '/etc/endcap/config.json': { text: 'no settings' },
      '/srv/new.json': { text: JSON.stringify(FIT) },
    };
    expect(await check(['/srv/new.json'], files)).toMatchObject({ exitCode: 0 });
    expect(await check([], files)).toMatchObject({ exitCode: 1 });
  });

  it('names every wrong setting, and no secret', async () => {
    const text = JSON.stringify({
      service: { ...FIT.service, baseUrl: 'ftp://x', clientSecret: ['hush-hush-1'] },
      signals: { port: 'hush' },
    });
    const { exitCode, stdout, stderr } = await check([], { '/etc/endcap/config.json': { text } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('service.baseUrl');
    expect(stderr).toContain('service.clientSecret');
    expect(stderr).toContain('signals.port');
    expect(stderr).not.toContain('hush');
  });

  it('passes warnings on', async () => {
    const files = { '/etc/endcap/config.json': { text: JSON.stringify(FIT), readableBy: 'others' } } as const;
    const { exitCode, stderr } = await check([], files);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('readable by others');
    expect(stderr).not.toContain('hush');
  });

  it('warns that staff have no PIN', async () => {
    const { exitCode, stderr } = await check([], {
      '/etc/endcap/config.json': { text: JSON.stringify({ ...FIT, admin: {} }) },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^check-config: admin\.pinHash is missing.*endcap pin/);
  });

  it.each([
    [['200101', '491231'], ''],
    [['200101', '261231'], 'is valid until 2026-12-31T23:59:59.000Z (days left: 21). Put a new one'],
    [['200101', '251231'], 'was valid until 2025-12-31T23:59:59.000Z.'],
    [['270101', '491231'], 'is valid from 2027-01-01T00:00:00.000Z on. Check the clock'],
  ] as const)('warns of a certificate that is not valid, or soon not: %j', async (days, warning) => {
    const issued = testCa('A CA').issue('kiosk.example', days);
    const fleet = { clientCertFile: 'kiosk.crt', clientKeyFile: 'kiosk.key' };
    const { exitCode, stderr } = await check([], {
      '/etc/endcap/config.json': { text: JSON.stringify({ ...FIT, fleet }) },
      '/etc/endcap/kiosk.crt': { text: issued.cert },
      '/etc/endcap/kiosk.key': { text: issued.key },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      warning === '' ? '' : `check-config: fleet.clientCertFile: The certificate ${warning}`,
    );
    expect(stderr === '').toBe(warning === '');
  });

  it('warns of a folder of house creatives that cannot be read, which may only be away', async () => {
    const withHouse = (houseDir: string) => ({
      '/etc/endcap/config.json': { text: JSON.stringify({ ...FIT, playback: { houseDir } }) },
    });
    expect(await check([], withHouse('/srv/house'))).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await check([], withHouse('/srv/hose'))).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^check-config: playback\.houseDir: \/srv\/hose cannot be read \(ENOENT\)/,
      ),
    });
  });

  it('does not find what the unit hides from the kiosk', async () => {
    const service = { ...FIT.service, clientSecret: undefined, clientSecretFile: '/home/ops/secret' };
    const files = (settings: object, file = '/etc/endcap/config.json') => ({
      [file]: { text: JSON.stringify(settings) },
      '/home/ops/secret': { text: 'hush' },
      '/homes/secret': { text: 'hush' },
    });
    const hidden = ['/home', '/tmp'];
    expect(await check([], files({ service }), {}, hidden)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(
        'service.clientSecretFile: The file /home/ops/secret cannot be read (endcap.service hides /home from the kiosk; /etc/endcap and /srv are not hidden).',
      ),
    });
    const elsewhere = { ...service, clientSecretFile: '/homes/secret' };
    expect(await check([], files({ service: elsewhere }), {}, hidden)).toMatchObject({ exitCode: 0 });
    const house = { ...FIT, playback: { houseDir: '/tmp' } };
    expect(await check([], files(house), {}, hidden)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('playback.houseDir: /tmp cannot be read (endcap.service hides /tmp'),
    });
    // A draft is not where it will be, nor are the files beside it.
    const draft = files({ service: { ...service, clientSecretFile: 'secret' } }, '/home/ops/new.json');
    expect(await check(['/home/ops/new.json'], draft, {}, hidden)).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['another user than the kiosk', true],
    ['the kiosk', false],
  ])('says who may not read a file: %s', async (_who, isOtherUser) => {
    const readFile = async () => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    const { exitCode, stderr } = await check([], {}, {}, [], { isOtherUser, readFile });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be read (EACCES)');
    expect(stderr.includes('That is what your own user may read')).toBe(isOtherUser);
    // A wrong setting is wrong for everybody.
    const wrong = { '/etc/endcap/config.json': { text: '{}' } };
    expect((await check([], wrong, {}, [], { isOtherUser })).stderr).not.toContain('your own user');
  });

  it('fails where there are no settings, and where the named file is missing', async () => {
    expect(await check([], {})).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await check(['/nowhere.json'], {})).toMatchObject({ exitCode: 1, stdout: '' });
    expect((await check(['/nowhere.json'], {})).stderr).toContain('(named by the argument FILE)');
  });

  it.each([[['a', 'b']], [['--json']]])('refuses %j', async (args) => {
    expect(await check(args, {})).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
