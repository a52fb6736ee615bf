import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { freePort, isListening } from '../../tools/fleet/loopback-ports';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createSignals } from '../signals/signals';
import type { Fact } from '../status/facts';
import { createMetrics } from '../status/metrics';
import { createStatusBoard } from '../status/status-board';
import { exampleStatus, shows } from '../status/testing/example-status';
import type { Health } from './answers';
import { openLocalApi } from './open-local-api';

const cleanups: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The API of a kiosk with a data folder of its own. */
async function open(
  port: number,
  dataDirectory: string,
  silentMs: { window: number | null; records: number | null } = { window: 0, records: 0 },
) {
  const time = handTurnedTime();
  const { clock, schedule } = time;
  const errors: string[] = [];
  const told = new EventEmitter();
  const board = createStatusBoard(clock);
  const tell = (fact: Fact) => {
    board.tell(fact);
    told.emit(fact.kind);
  };
  const api = await openLocalApi({
    dataDirectory,
    port,
    clock,
    schedule,
    board: { ...board, tell },
    tokenAccess: { group: null, mode: '0600' },
    signals: createSignals({ clock, schedule: () => () => {} }),
    status: () => exampleStatus(),
    metrics: createMetrics(),
    async *plays() {},
    version: '1.0.0',
    log: {
      ...silentLog,
      error: (message) => void errors.push(message),
    },
    windowSilentMs: () => silentMs.window,
    recordsSilentMs: () => silentMs.records,
    demo: null,
  });
  cleanups.push(api.close);
  const server = () => board.told().signalsServer;
  return { portFile: join(dataDirectory, 'signals-port'), server, tell, told, api, time, errors };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-signals-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The API of a kiosk whose port another program holds. */
async function openWithoutPort() {
  const port = await freePort();
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen({ host: '127.0.0.1', port }, resolve));
  const free = () => new Promise((resolve) => stranger.close(resolve));
  cleanups.push(free);
  return { port, free, ...(await open(port, await temporaryFolder())) };
}

/** The API of a kiosk that cannot write its port file. */
async function openWithoutPortFile() {
  const port = await freePort();
  const dataDirectory = await temporaryFolder();
  const blocker = join(dataDirectory, 'signals-port.tmp');
  await mkdir(join(blocker, 'full'), { recursive: true });
  const free = () => rm(blocker, { recursive: true });
  return { port, free, ...(await open(port, dataDirectory)) };
}

const MINUTE_MS = 60_000;

it('tries a port that was taken again each minute, until it is free, and logs that once', async () => {
  const { port, free, server, told, time, errors } = await openWithoutPort();
  const problem = /another program listens there.* The kiosk tries again each minute\.$/;
  expect(server()?.problem).toMatch(problem);
  await Promise.all([once(told, 'section'), time.advance(MINUTE_MS)]);
  expect(server()?.problem).toMatch(problem);
  await free();
  await Promise.all([once(told, 'section'), time.advance(MINUTE_MS)]);
  expect(server()).toEqual({ url: `http://127.0.0.1:${port}`, problem: null });
  expect(await isListening(port)).toBe(true);
  expect(time.waits()).toEqual([]);
  expect(errors).toEqual(['the local API cannot be used, or not by all']);
});

it('stops at the end, also in the middle of a try', async () => {
  const waiting = await openWithoutPort();
  await waiting.api.close();
  expect(waiting.time.waits()).toEqual([]);

  const { port, free, portFile, api, time } = await openWithoutPort();
  await free();
  time.pass(MINUTE_MS);
  await api.close();
  expect(time.waits()).toEqual([]);
  expect(existsSync(portFile)).toBe(false);
  // Its socket may stay open for a moment: a process that another thread starts just then holds a copy.
  await expect.poll(() => isListening(port)).toBe(false);
});

it('listens without its port file, and writes the file when that is possible', async () => {
  const { port, free, portFile, server, told, time, errors } = await openWithoutPortFile();
  const problem = /signals-port could not be written \(.*\).* The kiosk tries again each minute\.$/;
  expect(server()).toEqual({
    url: `http://127.0.0.1:${port}`,
    problem: expect.stringMatching(problem),
  });
  expect(await isListening(port)).toBe(true);
  await Promise.all([once(told, 'section'), time.advance(MINUTE_MS)]);
  expect(server()?.problem).toMatch(problem);
  expect(existsSync(portFile)).toBe(false);
  await free();
  await Promise.all([once(told, 'section'), time.advance(MINUTE_MS)]);
  expect(server()).toEqual({ url: `http://127.0.0.1:${port}`, problem: null });
  expect(await readFile(portFile, 'utf8')).toBe(`${port}\n`);
  expect(time.waits()).toEqual([]);
  expect(errors).toEqual(['the local API cannot be used, or not by all']);
});

it('writes no port file after its end', async () => {
  const waiting = await openWithoutPortFile();
  await waiting.api.close();
  expect(waiting.time.waits()).toEqual([]);

  const { free, portFile, api, time } = await openWithoutPortFile();
  await free();
  time.pass(MINUTE_MS);
  await api.close();
  expect(time.waits()).toEqual([]);
  expect(existsSync(portFile)).toBe(false);
});

it.each([
  [null, 'starting', 503],
  [14_999, 'answering', 200],
  [15_000, 'silent', 503],
] as const)('a window or books that have been silent for %s ms are %s', async (silentMs, sign, status) => {
  for (const silent of ['window', 'records'] as const) {
    const all = { window: 0, records: 0, [silent]: silentMs };
    const { server } = await open(0, await temporaryFolder(), all);
    const answer = await fetch(`${server()?.url}/healthz`);
    expect(answer.status).toBe(status);
    const checks = { window: 'answering', records: 'answering', [silent]: sign };
    expect(await answer.json()).toMatchObject({ checks });
  }
});

it('says by its health whether a video moves, and counts each answer', async () => {
  const { server, tell, told } = await open(0, await temporaryFolder());
  let answers = 0;
  told.on('request-answered', () => (answers += 1));
  const video = async () => {
    const { checks } = (await (await fetch(`${server()?.url}/healthz`)).json()) as Health;
    return checks.video;
  };
  expect(await video()).toBe('none');
  const showing = shows('offline');
  if (showing.kind === 'showing') tell({ ...showing, moving: true });
  expect(await video()).toBe('advancing');
  expect(answers).toBe(2);
});
