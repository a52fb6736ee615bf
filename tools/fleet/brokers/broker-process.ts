import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isListening } from '../loopback-ports';

/** A private MQTT server that can be killed and started again. */
export interface BrokerProcess {
  /** `mqtt://127.0.0.1:PORT` */
  readonly url: string;
  /** Resolves when it listens. Rejects if it is not installed or does not start. */
  readonly start: () => Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  readonly pid: () => number | null;
}

const START_MS = 30_000;

/** @param port of MQTT on loopback */
export function brokerProcess(program: string, args: readonly string[], port: number): BrokerProcess {
  let running: ChildProcess | null = null;
  return {
    url: `mqtt://127.0.0.1:${port}`,
    pid: () => running?.pid ?? null,
    start: async () => {
      running = spawn(program, args, {
        env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await started(program, running, port);
    },
    kill: async () => {
      if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'exit');
      running.kill('SIGKILL');
      await ended;
    },
  };
}

async function started(program: string, server: ChildProcess, port: number): Promise<void> {
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const failed = once(server, 'error').then(([error]) => {
    throw new Error(`${program} cannot be started (${error}). Install it: apt-get install ${program}`);
  });
  failed.catch(() => {});
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    if (await Promise.race([failed, isListening(port)])) return;
    if (server.exitCode !== null || server.signalCode !== null) break;
    await wait(50);
  }
  throw new Error(`${program} did not start:\n${said}`);
}
