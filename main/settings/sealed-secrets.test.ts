import { describe, expect, it } from 'vitest';
import { isSealed, openSecrets, sealSecrets } from './sealed-secrets';
import { noKeyring, pretendKeyring } from './testing/keyrings';

const RAW = {
  service: { baseUrl: 'https://ads.example', clientSecret: 'hush' },
  native: { apptoken: 'app', zoneid: 'zone' },
  admin: { pinHash: 'scrypt$…' },
};

describe('the secrets of settings', () => {
  it('are the only values that are sealed, and the same keyring opens them', async () => {
    const keyring = pretendKeyring();
    const { raw, by } = await sealSecrets(RAW, keyring);
    expect(by).toBe('gnome_libsecret');
    expect(JSON.stringify(raw)).not.toMatch(/hush|"app"/);
    expect(raw).toMatchObject({
      service: { baseUrl: 'https://ads.example', clientSecret: { sealed: expect.any(String) } },
      native: { apptoken: { sealed: expect.any(String) }, zoneid: 'zone' },
      admin: RAW.admin,
    });
    expect(await openSecrets(raw, keyring.open)).toEqual({
      raw: RAW,
      sealed: ['service.clientSecret', 'native.apptoken'],
      closed: [],
    });
  });

  it('stay as they are without a keyring', async () => {
    expect(await sealSecrets(RAW, noKeyring)).toEqual({ raw: RAW, by: null });
    expect(await openSecrets(RAW, noKeyring.open)).toEqual({ raw: RAW, sealed: [], closed: [] });
  });

  it('stay as they are if the keyring fails or cannot decrypt what it sealed', async () => {
    const failing = { ...pretendKeyring(), seal: () => Promise.reject(new Error('locked')) };
    const forgetful = { ...pretendKeyring(), open: async () => null };
    for (const keyring of [failing, forgetful])
      expect(await sealSecrets(RAW, keyring)).toEqual({ raw: RAW, by: null });
  });

  it('that are sealed already are left alone', async () => {
    const keyring = pretendKeyring();
    const { raw } = await sealSecrets(RAW, keyring);
    expect((await sealSecrets(raw, keyring)).raw).toEqual(raw);
  });

  it('that another keyring sealed stay sealed and are listed', async () => {
    const { raw } = await sealSecrets(RAW, pretendKeyring());
    const found = await openSecrets(raw, pretendKeyring().open);
    expect(found.closed).toEqual(['service.clientSecret', 'native.apptoken']);
    expect(found.raw).toEqual(raw);
  });

  it('are looked for in any file content without an error', async () => {
    for (const raw of [
      null,
      7,
      [],
      'text',
      {},
      { service: null },
      { service: { clientSecret: { sealed: 1 } } },
    ])
      expect((await openSecrets(raw, noKeyring.open)).raw).toBe(raw);
    expect(isSealed({ sealed: 'x', more: 1 })).toBe(false);
  });
});
