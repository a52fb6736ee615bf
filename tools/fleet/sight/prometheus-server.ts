import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** A private Prometheus or VictoriaMetrics server. */
export interface MetricsServer {
  readonly url: string;
  /** The values of an instant query, one number for each series. */
  readonly ask: (promql: string) => Promise<number[]>;
  readonly close: () => Promise<void>;
}

const START_MS = 30_000;

/**
 * Starts a server. Rejects if it is not installed or does not start.
 *
 * @param ready path that answers with 200 once it serves
 * @param headers of each request to it
 */
export async function startMetricsServer(
  program: string,
  args: readonly string[],
  port: number,
  ready: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<MetricsServer> {
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  child.once('error', (error) => {
    said = `${error}. Install it: apt-get install ${program}`;
  });
  const close = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const serves = () =>
    fetch(`${url}${ready}`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const deadline = Date.now() + START_MS; !(await serves()); await wait(100)) {
    if (child.pid === undefined || child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`${program} did not start:\n${said}`);
    }
  }
  return { url, ask: (promql) => ask(url, promql, headers), close };
}

async function ask(
  url: string,
  promql: string,
  headers: Readonly<Record<string, string>>,
): Promise<number[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`, { headers });
  const body = (await answer.json()) as {
    readonly status: string;
    readonly error?: string;
    readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
  };
  if (body.status !== 'success') throw new Error(`${promql}: ${body.error}`);
  return (body.data?.result ?? []).map(({ value: [, number] }) => Number(number));
}
