import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { openSigningKey, readPublicKey } from './signing-key';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-key-'));
  file = join(folder, 'signing-key.pem');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the signing key', () => {
  it('is created once, and only the kiosk can read it', async () => {
    const first = await openSigningKey(file, silentLog);
    const second = await openSigningKey(file, silentLog);
    expect(second.publicKey).toBe(first.publicKey);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['signing-key.pem']);
  });

  it('is different on every kiosk', async () => {
    const one = await openSigningKey(file, silentLog);
    const other = await openSigningKey(join(folder, 'other'), silentLog);
    expect(other.publicKey).not.toBe(one.publicKey);
  });

  it('makes signatures that its public key verifies', async () => {
    const key = await openSigningKey(file, silentLog);
    const read = readPublicKey(key.publicKey);
    expect(read?.fingerprint).toBe(key.fingerprint);
    const content = Buffer.from('content');
    expect(read && verify(null, content, read.key, key.sign(content))).toBe(true);
  });

  it.each([
    '',
    'not a key',
    String(generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
  ])('is created again if its file is invalid', async (content) => {
    await writeFile(file, content);
    const key = await openSigningKey(file, silentLog);
    expect((await readdir(folder)).sort()).toEqual(['signing-key.pem', 'signing-key.pem.unreadable']);
    expect((await openSigningKey(file, silentLog)).publicKey).toBe(key.publicKey);
  });
});

describe('a public key', () => {
  it('is read from PEM too', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
    expect(readPublicKey(pem)?.key.equals(publicKey)).toBe(true);
  });

  it.each([
    '',
    'ed25519:',
    'ed25519:AAAA',
    'rsa:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    String(generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' })),
  ])('is not read from %j', (text) => {
    expect(readPublicKey(text)).toBeNull();
  });
});
