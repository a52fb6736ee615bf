import { once } from 'node:events';
import { createServer } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../../tools/fleet/loopback-ports';
import { createOpenConnection } from './open-connection';
import { selfSigned } from './testing/self-signed';
import { testCa } from './testing/test-ca';

test('clients with the same CAs share one TLS context, because creating one blocks main', async () => {
  const created = vi.spyOn(tls, 'createSecureContext');
  onTestFinished(() => created.mockRestore());
  const cas = tls.rootCertificates.slice(0, 1);
  const certificate = { cert: '', key: '' };
  // No TLS is spoken there; the context is there before the handshake.
  await using server = await listening(createServer((socket) => socket.destroy()));
  const target = {
    hostname: '127.0.0.1',
    port: server.port,
    addresses: [{ address: '127.0.0.1', family: 4 }],
  };
  const shown = [undefined, undefined, certificate, certificate, { ...certificate }];
  for (const each of shown)
    await createOpenConnection(cas, each)({ ok: true, ...target }, true, AbortSignal.timeout(60_000)).catch(
      () => {},
    );
  expect(created).toHaveBeenCalledTimes(3);
});

test('a certificate is checked although the environment says that it need not be', async () => {
  await using server = await listening(tls.createServer(selfSigned()));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const target = {
    hostname: '127.0.0.1',
    port: server.port,
    addresses: [{ address: '127.0.0.1', family: 4 }],
  };
  const opened = createOpenConnection()({ ok: true, ...target }, true, AbortSignal.timeout(60_000));
  onTestFinished(() => opened.then((socket) => void socket.destroy()).catch(() => {}));
  await expect(opened).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

/**
 * A TLS server for `kiosk.example` that notes of each connection whether it resumed an earlier one.
 * @param requestCert it breaks off where one is resumed, because its sessions have no context
 */
async function resumingServer(maxVersion: tls.SecureVersion = 'TLSv1.3', requestCert = false) {
  const ca = testCa('CA');
  const resumed: boolean[] = [];
  const secureContext = tls.createSecureContext({ ...ca.issue('kiosk.example'), maxVersion });
  const server = createServer((over) => {
    const asks = { requestCert, rejectUnauthorized: false };
    const socket = new tls.TLSSocket(over, { isServer: true, secureContext, ...asks });
    socket
      .on('error', () => {})
      .once('secure', () => {
        resumed.push(socket.isSessionReused());
        socket.write('hello');
      });
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  onTestFinished(close);
  const open = createOpenConnection([ca.cert]);
  async function connect(hostname: string) {
    const target = { ok: true, hostname, port, addresses: [{ address: '127.0.0.1', family: 4 }] } as const;
    const socket = await open(target, true, AbortSignal.timeout(60_000));
    await once(socket, 'data');
    // Electron has the session before the first byte, Node in the same turn after it.
    await new Promise(setImmediate);
    socket.destroy();
  }
  return { resumed, connect };
}

test('a later connection to the same host resumes the TLS session, which saves 2.6 of 4.3 KB', async () => {
  const { resumed, connect } = await resumingServer();
  for (const _time of [1, 2, 3]) await connect('kiosk.example');
  expect(resumed).toEqual([false, true, true]);
});

test('a session is not resumed under another name, and none of a rejected certificate is kept', async () => {
  const { connect } = await resumingServer();
  await connect('kiosk.example');
  for (const _time of [1, 2])
    await expect(connect('other.example')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a server that breaks off when its session is resumed, as some that ask for certificates do, is connected to: %s',
  async (version) => {
    const { resumed, connect } = await resumingServer(version, true);
    for (const _time of [1, 2, 3]) await connect('kiosk.example');
    expect(resumed).toEqual([false, false, false]);
  },
);
