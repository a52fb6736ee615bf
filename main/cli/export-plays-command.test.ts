import { describe, expect, it } from 'vitest';
import { runExportPlays } from './export-plays-command';

const FILES: Readonly<Record<string, string>> = { 'signals-port': '9777\n', 'signals-token': 'token-1\n' };

async function exportPlays(
  args: readonly string[],
  answer: (url: string, authorization: string | null) => Response,
  files = FILES,
  isRead = () => true,
) {
  let printed = '';
  const result = await runExportPlays(args, {
    readData: async (name) => {
      const text = files[name];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
    fetch: async (input, init) => answer(String(input), new Headers(init?.headers).get('Authorization')),
    write: async (text) => {
      printed += text;
      return isRead();
    },
  });
  return { ...result, printed };
}

describe('export-plays', () => {
  it('prints what the running kiosk answers, line by line', async () => {
    const lines = '{"id":"a"}\n{"id":"ö"}\n';
    const bytes = new TextEncoder().encode(lines);
    // One character is split across two pieces.
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, bytes.length - 4));
        controller.enqueue(bytes.slice(bytes.length - 4));
        controller.close();
      },
    });
    expect(await exportPlays([], () => new Response(body))).toMatchObject({ exitCode: 0, printed: lines });
  });

  it('requests the given period with the token from the data folder', async () => {
    let asked: unknown;
    await exportPlays(
      ['--from', '2026-11-20t09:00:00+01:00', '--to', '2016-12-31T23:59:59z'],
      (url, authorization) => {
        asked = { url, authorization };
        return new Response('');
      },
    );
    expect(asked).toEqual({
      url: 'http://127.0.0.1:9777/v1/plays?from=2026-11-20T08%3A00%3A00.000Z&to=2016-12-31T23%3A59%3A59.000Z',
      authorization: 'Bearer token-1',
    });
  });

  it('says that the kiosk does not run if it was killed and left its port file', async () => {
    const { exitCode, stderr } = await exportPlays([], () => {
      const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      throw new TypeError('fetch failed', { cause });
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'export-plays: the kiosk does not run. Start it: systemctl start endcap\n',
    });
  });

  it('says that the kiosk may play all the same if there is no port file, and where the reason is', async () => {
    const { exitCode, stderr } = await exportPlays([], () => new Response(''), {});
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'export-plays: the kiosk does not run (start it: systemctl start endcap), or its local API does not listen; overlay and log say why\n',
    });
  });

  it('prints the error of the kiosk, but never the token', async () => {
    const { exitCode, stderr } = await exportPlays([], () => new Response('no\nsuch time', { status: 400 }));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'export-plays: the kiosk rejected the request (400): no such time\n',
    });
  });

  it('fails and reports incomplete output when the answer breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":"a"}\n'));
      },
      pull(controller) {
        controller.error(new Error('broken off'));
      },
    });
    const { exitCode, stderr } = await exportPlays([], () => new Response(body));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/so the output is incomplete.+stood still for 25 seconds, write to a file\n$/);
  });

  it('ends with the pipe that it writes to, and no longer reads the books', async () => {
    let asked = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        asked += 1;
        controller.enqueue(new TextEncoder().encode('{"id":"a"}\n'));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { exitCode, stderr } = await exportPlays(
      [],
      () => new Response(body),
      undefined,
      () => false,
    );
    expect({ exitCode, stderr, isCancelled }).toEqual({ exitCode: 1, stderr: '', isCancelled: true });
    expect(asked).toBeLessThan(5);
  });

  it.each([
    [['--from']],
    [['--from', 'yesterday']],
    [['--to', '2026-01-31']],
    [['--limit', '3']],
    [['2026']],
  ])('refuses %j', async (args) => {
    expect(await exportPlays(args, () => new Response(''))).toMatchObject({ exitCode: 2, printed: '' });
  });
});
