import { answers, serverProcess } from '../server-process';

export type MetricsServer = Awaited<ReturnType<typeof startMetricsServer>>;

/**
 * Starts a private Prometheus or VictoriaMetrics server. Rejects if it is not installed or does not start.
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
) {
  const url = `http://127.0.0.1:${port}`;
  const { start, kill } = serverProcess([program, ...args], () => answers(`${url}${ready}`, headers));
  await start();
  return {
    url,
    /** The values of an instant query, one number for each series. */
    ask: (promql: string) => ask(url, promql, headers),
    close: kill,
  };
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
