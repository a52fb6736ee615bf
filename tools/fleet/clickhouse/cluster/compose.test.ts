import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(join(__dirname, name), 'utf8');

it('the first steps set every variable that the compose file needs', () => {
  const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  expect(needed.length).toBeGreaterThan(0);
  for (const name of needed) expect(read('README.md')).toContain(name);
});

it('no shard counts alone: after one is added, the rows of a kiosk lie on two', () => {
  // By ClickHouse's reference, optimize_skip_unused_shards=1 answers wrongly then. Without it the other one has no effect.
  for (const name of ['optimize_skip_unused_shards', 'optimize_distributed_group_by_sharding_key'])
    expect(read('users.xml')).not.toContain(name);
});

it('the servers get every variable that their configuration reads', () => {
  const configuration = ['cluster.xml', 'users.xml', 'keeper.xml'].map(read).join('');
  const needed = [...configuration.matchAll(/from_env="(\w+)"/g)].map(([, name = '']) => name);
  for (const name of needed) expect(read('compose.yaml')).toContain(`${name}: `);
  // Without a secret they would come as the user `default`, which the image lets in from its own container alone.
  expect(needed).toContain('CLUSTER_SECRET');
});

describe.each(['compose.yaml', '../../compose/compose.yaml'])(
  'the machines of %s do not fill with logs',
  (name) => {
    const lines = read(name).split('\n');

    it('because each server deletes its own log tables by age', () => {
      const volumes = lines.filter((line) => line.includes(':/var/lib/clickhouse"'));
      expect(volumes).not.toEqual([]);
      for (const line of volumes)
        expect(line).toContain('/log-tables.xml:/etc/clickhouse-server/config.d/log-tables.xml:ro"');
    });

    it('because the logs of each container are bounded', () => {
      const logged = lines.filter((line) => line.trim().startsWith('logging: '));
      expect(logged).toHaveLength(lines.filter((line) => line.trim().startsWith('image: ')).length);
      expect(lines.filter((line) => line.includes('max-size: '))).toHaveLength(1);
    });
  },
);

it('each log table that is set has an age, and none is set that is off otherwise or has an engine of its own', () => {
  const tables = [...read('../log-tables.xml').matchAll(/<(\w+_log)>(.*)<\/\1>/g)];
  for (const [, , content] of tables) expect(content).toBe('<ttl>event_date + INTERVAL 30 DAY DELETE</ttl>');
  const names = tables.map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['query_log', 'text_log', 'metric_log', 'trace_log']));
  for (const name of ['session_log', 'zookeeper_log', 'opentelemetry_span_log'])
    expect(names).not.toContain(name);
});
