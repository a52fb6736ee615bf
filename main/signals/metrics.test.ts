import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Facts } from './metric-facts';
import { counted, read } from './metric-kinds';
import { COUNTED, COUNTED_NAMES, type Counting, READ } from './metric-list';
import { createMetrics } from './metrics';

const versions = { endcap: '1.0.0', electron: '42.0.0', chromium: null, node: '24.0.0' };
const tally = { ads: 9, eligible: 3, expired: 1, audience: 2, capped: 4, uncountable: 1, noMedia: 2 };

const allFacts: Facts = {
  versions,
  startedAt: 1_600_000_000_500,
  tokenAgeMs: () => 5000,
  clockCorrectionMs: () => -1500,
  beacons: () => ({ sent: 7, failed: 6, pending: 5, unknown: 4, expired: 2, lost: 1 }),
  memory: () => ({ residentBytes: 100, heapUsedBytes: 50, processes: { kiosk: 200 } }),
  playlistAgeMs: () => 61_000,
  tally: () => tally,
  cache: () => ({ files: 2, bytes: 3000, quotaBytes: 4000, freeBytes: 5000 }),
  restarts: () => ({ kiosk: 1, records: 0, graphics: 2, service: 0 }),
};

function start(facts: Partial<Facts> = {}) {
  const metrics = createMetrics();
  metrics.readFrom({ ...allFacts, ...facts });
  return metrics;
}

async function linesOf(metrics: { readonly registry: Registry }): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n');
}

describe('metrics', () => {
  it('count in the units and names that Prometheus expects', async () => {
    const { counting: metrics, registry } = start();
    metrics.playSettled('completed', 'SOURCE_TYPE_CMS');
    metrics.playSettled('completed', 'SOURCE_TYPE_CMS');
    metrics.playSettled('failed', null);
    metrics.decided('ad');
    metrics.choiceTook(0.4);
    metrics.capHit('FREQUENCY_CAP_WINDOW_HOUR', 3);
    metrics.slotOverran(33.4);
    metrics.framesPresented(250);
    metrics.framesDropped(2);
    metrics.stalled(1);
    metrics.serviceFailed('ads', 'unauthorized');
    metrics.requestAnswered('/healthz', 200);
    const lines = await linesOf({ registry });
    for (const line of [
      'endcap_plays_total{outcome="completed",source="SOURCE_TYPE_CMS"} 2',
      'endcap_plays_total{outcome="failed",source="none"} 1',
      'endcap_decisions_total{result="ad"} 1',
      'endcap_decision_duration_seconds_bucket{le="0.00025"} 0',
      'endcap_decision_duration_seconds_bucket{le="0.0005"} 1',
      'endcap_decision_duration_seconds_count 1',
      'endcap_caps_hit_total{window="FREQUENCY_CAP_WINDOW_HOUR"} 3',
      'endcap_slot_overrun_seconds_bucket{le="0.017"} 0',
      'endcap_slot_overrun_seconds_bucket{le="0.034"} 1',
      'endcap_frames_presented_total 250',
      'endcap_frames_dropped_total 2',
      'endcap_stalls_total 1',
      'endcap_process_start_time_seconds 1600000000.5',
      'endcap_process_restarts_total{process="kiosk"} 1',
      'endcap_process_restarts_total{process="graphics"} 2',
      'endcap_process_restarts_total{process="records"} 0',
      'endcap_playlist_age_seconds 61',
      'endcap_playlist_ads 9',
      'endcap_ads{verdict="may-play"} 3',
      'endcap_ads{verdict="expired"} 1',
      'endcap_ads{verdict="audience"} 2',
      'endcap_ads{verdict="capped"} 4',
      'endcap_ads{verdict="uncountable"} 1',
      'endcap_ads{verdict="no-media"} 2',
      'endcap_media_cache_bytes 3000',
      'endcap_media_cache_quota_bytes 4000',
      'endcap_disk_free_bytes 5000',
      'endcap_service_errors_total{operation="ads",code="unauthorized"} 1',
      'endcap_signals_requests_total{route="/healthz",status="200"} 1',
      'endcap_build_info{version="1.0.0",electron="42.0.0",chromium="none",node="24.0.0"} 1',
      'endcap_token_age_seconds 5',
      'endcap_clock_correction_seconds -1.5',
      'endcap_process_resident_memory_bytes{process="main"} 100',
      'endcap_process_resident_memory_bytes{process="kiosk"} 200',
      'endcap_process_heap_used_bytes 50',
      'endcap_beacons_pending 5',
      'endcap_beacons_total{outcome="sent"} 7',
      'endcap_beacons_total{outcome="unknown"} 4',
      'endcap_beacons_total{outcome="refused"} 3',
      'endcap_beacons_total{outcome="expired"} 2',
      'endcap_beacons_total{outcome="lost"} 1',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('have one family each, with a help text and a type', async () => {
    const lines = await linesOf(start());
    const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^endcap_[a-z_]+$/);
      expect(lines.some((line) => line.startsWith(`# HELP ${name} `))).toBe(true);
    }
  });

  it('are all registered as they are declared, and can all be told of', async () => {
    const { registry, counting } = start();
    const declared = [...Object.values(COUNTED), ...Object.values(READ)].map(({ name }) => name);
    expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(declared);
    expect(Object.keys(counting)).toEqual(COUNTED_NAMES);
    expect(COUNTED_NAMES).toEqual(Object.keys(COUNTED));
  });

  it('do not compile with a label missing, or a fact that nobody tells', () => {
    const base = { type: 'counter', name: 'endcap_x_total', help: 'x', labelNames: ['a', 'b'] } as const;
    // @ts-expect-error: `b` is missing
    counted({ ...base, sample: () => ({ value: 1, labels: { a: 1 } }) });
    // @ts-expect-error: `b` is missing
    read({ ...base, read: () => [{ value: 1, labels: { a: 1 } }] });
    const told: Counting = start().counting;
    // @ts-expect-error: the window alone does not say how many ads
    expect(() => told.capHit('FREQUENCY_CAP_WINDOW_DAY')).not.toThrow();
    const { restarts: _forgotten, ...facts } = allFacts;
    // @ts-expect-error: `restarts` is missing
    expect(() => createMetrics().readFrom(facts)).not.toThrow();
  });

  it('are all in the documentation, as they are declared', () => {
    const listed = readFileSync('docs/metrics.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('- `endcap_'));
    const declared = [...Object.values(COUNTED), ...Object.values(READ)].map(
      ({ name, labelNames, type, help }) =>
        `- \`${name}${labelNames.length > 0 ? `{${labelNames.join(',')}}` : ''}\` (${type}): ${help}`,
    );
    expect(listed).toEqual(declared);
  });

  it('have no value for what there is none of', async () => {
    const nothing = start({
      playlistAgeMs: () => null,
      cache: () => ({ files: 0, bytes: 0, quotaBytes: 1, freeBytes: null }),
    });
    const lines = await linesOf(nothing);
    expect(lines.some((line) => /^endcap_(playlist_age|disk_free)/.test(line))).toBe(false);
  });

  it('say nothing of the age of a token that is not there', async () => {
    let age: number | null = null;
    const metrics = start({ tokenAgeMs: () => age });
    const value = async () => (await linesOf(metrics)).filter((line) => line.startsWith('endcap_token_age'));
    expect(await value()).toEqual([]);
    age = 1000;
    expect(await value()).toEqual(['endcap_token_age_seconds 1']);
    age = null;
    expect(await value()).toEqual([]);
  });

  it('keep their labels few, whatever they are told', async () => {
    const { counting: metrics, registry } = start();
    for (let i = 0; i < 500; i += 1) {
      metrics.playSettled('completed', `SOURCE_${i}`);
      metrics.capHit(`WINDOW_${i}`, 1);
      metrics.serviceFailed('media', `code-${i}`);
      metrics.serviceFailed('media', `not a code: ${i}`);
    }
    const lines = await linesOf({ registry });
    const series = (name: string) => lines.filter((line) => line.startsWith(`${name}{`));
    expect(series('endcap_plays_total')).toEqual([
      'endcap_plays_total{outcome="completed",source="other"} 500',
    ]);
    expect(series('endcap_caps_hit_total')).toEqual(['endcap_caps_hit_total{window="other"} 500']);
    expect(series('endcap_service_errors_total')).toHaveLength(65);
    expect(lines).toContain('endcap_service_errors_total{operation="media",code="other"} 936');
  });

  it('of two players do not mix', async () => {
    const first = start();
    const second = start();
    first.counting.capHit('FREQUENCY_CAP_WINDOW_DAY', 1);
    expect((await linesOf(second)).some((line) => line.startsWith('endcap_caps_hit_total{'))).toBe(false);
  });
});
