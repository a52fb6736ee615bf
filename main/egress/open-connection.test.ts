import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOpenConnection } from './open-connection';

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
