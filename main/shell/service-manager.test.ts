import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../shared/log';
import { isManaged, keepServiceManager, systemdNotify } from './service-manager';

const MANAGED = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '30000000' };

/** Records what a service manager receives in this many seconds; time is turned by hand. */
function listenTo(
  environment: Readonly<Record<string, string>>,
  seconds: number,
  isWell: (second: number) => boolean,
  sentence: (second: number) => string = () => 'Playing.',
  isLost: (second: number) => boolean = () => false,
) {
  let now = 0;
  let due: { at: number; run: () => void } | null = null;
  const heard: { second: number; lines: readonly string[] }[] = [];
  const manager = keepServiceManager({
    environment,
    isWell: () => isWell(now / 1_000),
    schedule(ms, run) {
      due = { at: now + ms, run };
      return () => {
        due = null;
      };
    },
    send(lines, onLost) {
      if (isLost(now / 1_000)) onLost();
      else heard.push({ second: now / 1_000, lines });
    },
  });
  manager.describe(() => sentence(now / 1_000));
  for (; now <= seconds * 1_000; now += 100) {
    const next = due as { at: number; run: () => void } | null;
    if (next === null || next.at > now) continue;
    due = null;
    next.run();
  }
  return {
    heard,
    manager,
    seconds: (line: string) => heard.filter(({ lines }) => lines.includes(line)).map(({ second }) => second),
  };
}

describe('the messages to the service manager', () => {
  it('are not sent without a service manager', () => {
    expect(listenTo({}, 100, () => true).heard).toEqual([]);
    expect(isManaged({})).toBe(false);
    expect(isManaged(MANAGED)).toBe(true);
  });

  it('report ready once, when all is well for the first time', () => {
    expect(listenTo(MANAGED, 60, (second) => second >= 2.5).seconds('READY=1')).toEqual([3]);
    expect(listenTo(MANAGED, 60, () => false).seconds('READY=1')).toEqual([]);
  });

  it('report ready and the state again if the message was lost', () => {
    const { heard, seconds } = listenTo(
      MANAGED,
      60,
      (second) => second >= 2,
      () => 'Playing.',
      (second) => second < 15,
    );
    expect(seconds('READY=1')).toEqual([15]);
    expect(heard[0]?.lines).toContain('STATUS=Playing.');
  });

  it('reach the watchdog three times per interval, but not while something is not well', () => {
    const { seconds } = listenTo(MANAGED, 100, (second) => second < 40 || second >= 70);
    expect(seconds('WATCHDOG=1')).toEqual([0, 10, 20, 30, 70, 80, 90, 100]);
  });

  it('reach a watchdog of 3 s every second; without a watchdog, no watchdog message is sent', () => {
    const quick = listenTo({ ...MANAGED, WATCHDOG_USEC: '3000000' }, 10, () => true).seconds('WATCHDOG=1');
    expect(quick).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const none = listenTo({ NOTIFY_SOCKET: '@abstract' }, 60, () => true);
    expect(none.seconds('WATCHDOG=1')).toEqual([]);
    expect(none.seconds('READY=1')).toEqual([0]);
  });

  it('contain the state as one line of text when it changes', () => {
    const { heard } = listenTo(
      MANAGED,
      60,
      () => true,
      (second) => (second < 25 ? 'Playing.' : 'No ads:\nthe network is away.'),
    );
    const words = heard.flatMap(({ lines }) => lines.filter((line) => line.startsWith('STATUS=')));
    expect(words).toEqual(['STATUS=Starting.', 'STATUS=Playing.', 'STATUS=No ads: the network is away.']);
  });

  it('end with the message that the kiosk stops', () => {
    const { heard, manager } = listenTo(MANAGED, 5, () => true);
    manager.stopping();
    expect(heard.at(-1)?.lines).toEqual(['STOPPING=1']);
  });
});

it('a message is lost, with one error in the log, where no process can be started', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-notify-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  // Node throws this error, as it throws that there is no memory for a process.
  symlinkSync('systemd-notify', join(folder, 'systemd-notify'));
  vi.stubEnv('PATH', folder);
  const errors: string[] = [];
  const send = systemdNotify({ ...silentLog, error: (event) => void errors.push(event) });
  const lost: string[] = [];
  for (const line of ['READY=1', 'WATCHDOG=1']) send([line], () => lost.push(line));
  expect(lost).toEqual(['READY=1', 'WATCHDOG=1']);
  expect(errors).toEqual(['the service manager could not be notified']);
});

const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

it.skipIf(!isInstalled('systemd-notify') || !isInstalled('python3'))(
  'messages arrive at the socket of a service manager',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endcap-notify-'));
    const socket = join(folder, 'notify');
    // Node has no Unix datagram sockets; Python, which comes with most systems, has them.
    const listener = spawn('python3', [
      '-c',
      [
        'import socket, sys',
        's = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)',
        's.bind(sys.argv[1])',
        'print("listening", flush=True)',
        'print(s.recv(4096).decode(), flush=True)',
      ].join('\n'),
      socket,
    ]);
    try {
      let said = '';
      const saw = (words: string) =>
        new Promise<void>((done, failed) => {
          listener.once('exit', () => failed(new Error(`the listener ended, having said: ${said}`)));
          listener.stdout.on('data', (chunk: Buffer) => {
            said += chunk.toString();
            if (said.includes(words)) done();
          });
        });
      await saw('listening');
      process.env.NOTIFY_SOCKET = socket;
      const errors: string[] = [];
      const note = () => {};
      const send = systemdNotify({
        debug: note,
        info: note,
        warn: note,
        error: (event) => errors.push(event),
      });
      const arrived = saw('STATUS=Playing.');
      send(['READY=1', 'WATCHDOG=1', 'STATUS=Playing.'], () => {});
      await arrived;
      expect(said.split('\n')).toEqual(expect.arrayContaining(['READY=1', 'WATCHDOG=1', 'STATUS=Playing.']));
      expect(errors).toEqual([]);
    } finally {
      delete process.env.NOTIFY_SOCKET;
      listener.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
