import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../loopback-ports';
import { simulate } from '../simulation/simulate';
import { startEngine } from '../testing/engine';
import { type PlayingKiosk, startPlayingKiosk } from './playing-kiosk';
import { type MetricsServer, startMetricsServer } from './prometheus-server';
import { PROMETHEUS_FOLDER, panelQueries, promqlOf, sqlOf } from './read-sight';

const TOKEN = 'a-token';
const folder = mkdtempSync(join(tmpdir(), 'endcap-sight-'));
let kiosk: PlayingKiosk;
let prometheus: MetricsServer;

/** Writes one of our configurations with the paths and addresses of the test; returns the file. */
function configure(name: string, changes: readonly (readonly [string, string])[]): string {
  let text = readFileSync(join(PROMETHEUS_FOLDER, name), 'utf8');
  for (const [written, here] of [['interval: 30s', 'interval: 1s'] as const, ...changes]) {
    expect(text).toContain(written);
    text = text.replaceAll(written, here);
  }
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const targetsOf = (port: number, instance: string) =>
  JSON.stringify([{ targets: [`127.0.0.1:${port}`], labels: { instance } }]);

beforeAll(async () => {
  kiosk = await startPlayingKiosk(TOKEN);
  mkdirSync(join(folder, 'targets'));
  writeFileSync(join(folder, 'kiosk-token'), TOKEN);
  writeFileSync(join(folder, 'targets/kiosks.json'), targetsOf(kiosk.port, 'store-17-door'));
  writeFileSync(join(folder, 'targets/off.json'), targetsOf(1, 'store-18-door'));
  copyFileSync(join(PROMETHEUS_FOLDER, 'alerts.yml'), join(folder, 'alerts.yml'));
  const port = await freePort();
  const args = [
    `--config.file=${configure('prometheus.yml', [])}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
  ];
  prometheus = await startMetricsServer('prometheus', args, port, '/-/ready');
});
afterAll(async () => {
  await prometheus?.close();
  await kiosk?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('monitoring of a fleet', () => {
  it('has alerts that fire when they should', () => {
    const args = ['test', 'rules', join(PROMETHEUS_FOLDER, 'alerts.test.yml')];
    expect(execFileSync('promtool', args, { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('has configurations that Prometheus accepts', () => {
    for (const [name, ...more] of [['prometheus.yml'], ['agent.yml', '--agent']] as const) {
      const args = ['check', 'config', '--syntax-only', ...more, join(PROMETHEUS_FOLDER, name)];
      expect(execFileSync('promtool', args, { encoding: 'utf8' })).toContain('SUCCESS');
    }
  });

  it('scrapes a kiosk with its token, and evaluates the rules', async () => {
    await expect.poll(() => prometheus.ask('up{instance="store-17-door"}')).toEqual([1]);
    await expect.poll(() => prometheus.ask('up{instance="store-18-door"}')).toEqual([0]);
    const health = async () => {
      const answer = await fetch(`${prometheus.url}/api/v1/rules`);
      const { data } = (await answer.json()) as {
        data: { groups: { rules: { name: string; health: string }[] }[] };
      };
      return data.groups.flatMap(({ rules }) => rules).filter(({ health }) => health !== 'ok');
    };
    await expect.poll(health).toEqual([]);
    await expect.poll(() => prometheus.ask('ALERTS{alertname="EndcapKioskDown"}')).toEqual([1]);
  });

  it('has a dashboard in which every PromQL query has a result', async () => {
    const queries = panelQueries().filter(({ language }) => language === 'promql');
    expect(queries.length).toBeGreaterThan(30);
    for (const { where, text } of queries)
      await expect
        .poll(async () => ({ where, found: (await prometheus.ask(promqlOf(text))).length > 0 }))
        .toEqual({ where, found: true });
  });

  it('has a dashboard in which every SQL query has a result', async () => {
    const engine = await startEngine();
    try {
      const options = { kiosks: 3, hours: 4, seed: 1, faults: [] };
      const now = Date.now();
      const { from } = await simulate(engine.clickHouse, 'plays', options, now, () => {});
      const queries = panelQueries().filter(({ language }) => language === 'sql');
      expect(queries.length).toBeGreaterThan(5);
      for (const { where, text } of queries) {
        const rows = await engine.clickHouse.all(sqlOf(text, new Date(from), new Date(now + 60_000)));
        expect({ where, found: rows.length > 0 }).toEqual({ where, found: true });
      }
      const total = queries.find(({ where }) => where.endsWith('In this time'))?.text ?? '';
      const [row] = await engine.clickHouse.all(sqlOf(total, new Date(from), new Date(now)));
      expect(row).toMatchObject({ kiosks: '3' });
      expect(Number(row?.plays)).toBeGreaterThan(100);
    } finally {
      await engine.close();
    }
  });

  it('gets the metrics of a kiosk behind NAT from its agent, through a password, in VictoriaMetrics', async () => {
    const [port, agentPort] = [await freePort(), await freePort()];
    const headers = { Authorization: `Basic ${Buffer.from('kiosk:geheim').toString('base64')}` };
    const storage = [
      `-storageDataPath=${join(folder, 'victoria')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      ...['-httpAuth.username=kiosk', '-httpAuth.password=geheim', '-search.latencyOffset=1s'],
    ];
    const victoria = await startMetricsServer('victoria-metrics', storage, port, '/health', headers);
    let agent: MetricsServer | null = null;
    try {
      writeFileSync(join(folder, 'metrics-password'), 'geheim');
      writeFileSync(join(folder, 'kiosk.json'), targetsOf(kiosk.port, 'behind-nat'));
      const file = configure('agent.yml', [
        ['/var/lib/endcap/signals-token', 'kiosk-token'],
        ['https://metrics.example/', `${victoria.url}/`],
      ]);
      const args = [
        ...['--enable-feature=agent', `--config.file=${file}`],
        ...[`--storage.agent.path=${join(folder, 'agent')}`, `--web.listen-address=127.0.0.1:${agentPort}`],
      ];
      agent = await startMetricsServer('prometheus', args, agentPort, '/-/ready');
      const ask = victoria.ask;
      await expect.poll(() => ask('up{instance="behind-nat"}'), { timeout: 60_000 }).toEqual([1]);
      await expect.poll(() => ask('sum(endcap_plays_total{instance="behind-nat"}) > bool 2')).toEqual([1]);
      // One query of the dashboards stands for all.
      await expect.poll(() => ask('sum by (outcome) (rate(endcap_plays_total[10s]))')).toHaveLength(5);
    } finally {
      await agent?.close();
      await victoria.close();
    }
  });
});
