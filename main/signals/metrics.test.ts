import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics';

const versions = { endcap: '1.0.0', electron: '42.0.0', chromium: null, node: '24.0.0' };

function start(tokenAgeMs: () => number | null = () => 5000) {
  return createMetrics(versions, {
    tokenAgeMs,
    clockCorrectionMs: () => -1500,
    beacons: () => ({ sent: 7, failed: 6, pending: 5, unknown: 4, expired: 2, lost: 1 }),
    memory: () => ({ residentBytes: 100, heapUsedBytes: 50, processes: { kiosk: 200 } }),
  });
}

async function linesOf(metrics: ReturnType<typeof start>): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n');
}

describe('metrics', () => {
  it('count in the units and names that Prometheus expects', async () => {
    const metrics = start();
    metrics.playSettled('completed', 'SOURCE_TYPE_CMS');
    metrics.playSettled('completed', 'SOURCE_TYPE_CMS');
    metrics.playSettled('failed', null);
    metrics.decided('ad', 0.4);
    metrics.capHit('FREQUENCY_CAP_WINDOW_HOUR');
    metrics.serviceFailed('ads', 'unauthorized');
    metrics.requestAnswered('/healthz', 200);
    const lines = await linesOf(metrics);
    for (const line of [
      'endcap_plays_total{outcome="completed",source="SOURCE_TYPE_CMS"} 2',
      'endcap_plays_total{outcome="failed",source="none"} 1',
      'endcap_decisions_total{result="ad"} 1',
      'endcap_decision_duration_seconds_bucket{le="0.00025"} 0',
      'endcap_decision_duration_seconds_bucket{le="0.0005"} 1',
      'endcap_decision_duration_seconds_count 1',
      'endcap_caps_hit_total{window="FREQUENCY_CAP_WINDOW_HOUR"} 1',
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

  it('say nothing of the age of a token that is not there', async () => {
    let age: number | null = null;
    const metrics = start(() => age);
    const value = async () => (await linesOf(metrics)).filter((line) => line.startsWith('endcap_token_age'));
    expect(await value()).toEqual([]);
    age = 1000;
    expect(await value()).toEqual(['endcap_token_age_seconds 1']);
    age = null;
    expect(await value()).toEqual([]);
  });

  it('keep their labels few, whatever they are told', async () => {
    const metrics = start();
    for (let i = 0; i < 500; i += 1) {
      metrics.playSettled('completed', `SOURCE_${i}`);
      metrics.capHit(`WINDOW_${i}`);
      metrics.serviceFailed('media', `code-${i}`);
      metrics.serviceFailed('media', `not a code: ${i}`);
    }
    const lines = await linesOf(metrics);
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
    first.capHit('FREQUENCY_CAP_WINDOW_DAY');
    expect((await linesOf(second)).some((line) => line.startsWith('endcap_caps_hit_total{'))).toBe(false);
  });
});
