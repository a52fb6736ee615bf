import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOpenConnection } from './open-connection';
import { selfSigned } from './testing/self-signed';

test('clients with the same CAs share one TLS context, because creating one holds main', async () => {
  const created = vi.spyOn(tls, 'createSecureContext');
  syncBuiltinESMExports();
  onTestFinished(() => {
    created.mockRestore();
    syncBuiltinESMExports();
  });
  const cas = tls.rootCertificates.slice(0, 1);
  const certificate = { cert: '', key: '' };
  // Nothing listens there; the context is there before the connection.
  const target = { hostname: '127.0.0.1', port: 1, addresses: [{ address: '127.0.0.1', family: 4 }] };
  const shown = [undefined, undefined, certificate, certificate, { ...certificate }];
  for (const each of shown)
    await createOpenConnection(cas, each)({ ok: true, ...target }, true, AbortSignal.timeout(5_000)).catch(
      () => {},
    );
  expect(created).toHaveBeenCalledTimes(3);
});

test('a certificate is checked although the environment says that it need not be', async () => {
  const server = tls.createServer(selfSigned()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { port } = server.address() as AddressInfo;
  const target = { hostname: '127.0.0.1', port, addresses: [{ address: '127.0.0.1', family: 4 }] };
  const opened = createOpenConnection()({ ok: true, ...target }, true, AbortSignal.timeout(5_000));
  onTestFinished(() => opened.then((socket) => void socket.destroy()).catch(() => {}));
  await expect(opened).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});
