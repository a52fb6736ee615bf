import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { Play } from '../../shared/play';
import type { Fact } from './facts';
import { counted, read } from './metric';
import { METRICS } from './metric-list';
import { createMetrics, type Metrics } from './metrics';
import { exampleStatus } from './testing/example-status';

const NOW = 1_700_000_000_000;
const play = examplePlay({ presentedFrames: null, droppedFrames: null, stalls: null });
const settled = (change: Partial<Play>): Fact => ({
  kind: 'settled',
  play: { ...play, ...change },
  drawn: [],
});
const failed = (operation: 'ads' | 'media', code: string): Fact => ({
  kind: 'service-failed',
  operation,
  problem: { code, message: '', advice: null },
});
const capHit = (window: string, ads = 1): Fact => ({ kind: 'cap-hit', window, ads });

/** The lines of a scrape after these facts. */
async function linesOf(
  metrics: Metrics,
  facts: readonly Fact[] = [],
  read: Parameters<typeof exampleStatus>[2] = {},
): Promise<string[]> {
  for (const fact of facts) metrics.count(fact);
  return (await metrics.scrape(exampleStatus(NOW, facts, read))).split('\n');
}

describe('metrics', () => {
  it('use the units and names that Prometheus expects', async () => {
    const token = { ageMs: 5000, expiresAt: null, expiresInMs: null };
    const proof = { waiting: 3, oldestAt: NOW - 60_000, lastSentAt: null, setAside: 0, lastError: null };
    const facts: Fact[] = [
      settled({ presentedFrames: 200, droppedFrames: 2, stalls: 1 }),
      settled({ presentedFrames: 50 }),
      settled({ outcome: 'failed', source: null }),
      { kind: 'decided', next: 'offline' },
      { kind: 'chosen', tookMs: 0.4 },
      capHit('FREQUENCY_CAP_WINDOW_HOUR', 3),
      { kind: 'left-screen', overrunMs: 33.4 },
      failed('ads', 'unauthorized'),
      { kind: 'request-answered', route: '/healthz', status: 200 },
      { kind: 'segment-tried', result: 'set-aside' },
      { kind: 'section', name: 'proof', value: proof },
      { kind: 'held', reason: 'maintenance' },
    ];
    const clock = {
      now: NOW,
      systemNow: NOW + 1500,
      correctionMs: -1500,
      trusted: true,
      lastTrustedAt: null,
    };
    const lines = await linesOf(createMetrics(), facts, { token, clock, playlistAt: NOW - 61_000 });
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
      'endcap_proof_segments_total{result="set-aside"} 1',
      'endcap_proof_plays_waiting 3',
      'endcap_hold{reason="maintenance"} 1',
      'endcap_proof_oldest_waiting_seconds 60',
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

  it('name each problem that somebody has to solve, while there is one', async () => {
    const metrics = createMetrics();
    const attention = (code: string, isOver = false): Fact => ({
      kind: 'attention',
      code,
      problem: isOver ? null : { message: 'It is broken.', advice: 'Mend it.' },
    });
    const values = async (...facts: readonly Fact[]) =>
      (await linesOf(metrics, facts)).filter((line) => line.startsWith('endcap_attention'));
    expect(await values()).toEqual([]);
    expect(await values(attention('no-key'), attention('settings-unusable'))).toEqual([
      'endcap_attention{code="no-key"} 1',
      'endcap_attention{code="settings-unusable"} 1',
    ]);
    expect(await values(attention('no-key'), attention('no-key', true))).toEqual([]);
  });

  it.each([
    ['a person, until it is switched on', { by: 'switch', on: false, until: null }, 1],
    ['a person, until the hours change', { by: 'switch', on: false, until: NOW }, 0],
    ['the hours', { by: 'hours', on: false, until: null }, 0],
    ['nobody', { by: 'switch', on: true, until: null }, 0],
  ] as const)('say whether %s switched the display off by hand', async (_who, state, value) => {
    const display = { how: null, problem: null, ...state };
    const lines = await linesOf(createMetrics(), [], { display });
    expect(lines).toContain(`endcap_display_off_by_hand ${value}`);
  });

  it('count the memory of the main process once, which Electron calls browser', async () => {
    const memory = { residentBytes: 100, heapUsedBytes: 50, processes: { browser: 101, tab: 200 } };
    const lines = await linesOf(createMetrics(), [], { memory });
    expect(lines.filter((line) => line.startsWith('endcap_process_resident_memory_bytes'))).toEqual([
      'endcap_process_resident_memory_bytes{process="main"} 100',
      'endcap_process_resident_memory_bytes{process="tab"} 200',
    ]);
  });

  it.each([
    ...['delivered', 'refused', 'set-aside', 'failed'].map(
      (result) => `proof_segments_total{result="${result}"}`,
    ),
    'plays_total{outcome="completed",source="none"}',
    'plays_total{outcome="failed",source="SOURCE_TYPE_CMS"}',
    'decisions_total{result="card"}',
    'caps_hit_total{window="FREQUENCY_CAP_WINDOW_DAY"}',
    'fleet_messages_total{result="dropped"}',
  ])('start at 0, so that the first event is an increase: endcap_%s', async (series) => {
    expect(await linesOf(createMetrics())).toContain(`endcap_${series} 0`);
  });

  it('have one family each, with a help text and a type', async () => {
    const lines = await linesOf(createMetrics());
    const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(name).toMatch(/^endcap_[a-z_]+$/);
      expect(lines.some((line) => line.startsWith(`# HELP ${name} `))).toBe(true);
    }
  });

  it('do not compile with a label missing, or for an unknown fact', () => {
    const base = { type: 'counter', name: 'endcap_x_total', help: 'x', labels: ['a', 'b'] } as const;
    // @ts-expect-error: `b` is missing
    counted({ ...base, of: 'chosen', samples: () => [{ value: 1, labels: { a: 1 } }] });
    // @ts-expect-error: `b` is missing
    read({ ...base, read: () => [{ value: 1, labels: { a: 1 } }] });
    // @ts-expect-error: nobody tells this
    counted({ ...base, labels: [], of: 'forgotten', samples: () => [] });
    // @ts-expect-error: a choice has no such field
    counted({ ...base, labels: [], of: 'chosen', samples: ({ forgotten }) => [forgotten] });
  });

  it('are all in the documentation, as they are declared', async () => {
    const [words] = readFileSync('docs/metrics.md', 'utf8').split('\n- `endcap_', 1);
    const list = METRICS.map(({ name, labels, type, help }) => {
      const braces = labels.length > 0 ? `{${labels.join(',')}}` : '';
      return `- \`${name}${braces}\` (${type}): ${help}\n`;
    });
    await expect(
      `${words}\n${list.join('')}`,
      'docs/metrics.md is stale; write it anew with: npx vitest run main/status -u',
    ).toMatchFileSnapshot('../../docs/metrics.md');
  });

  it.each([
    ['offline', 'ad'],
    ['online', 'online'],
    ['native', 'native'],
    ['house', 'house'],
    ['card', 'card'],
    ['held', 'held'],
  ] as const)('count a decision for %s as %s', async (next, result) => {
    const lines = await linesOf(createMetrics(), [{ kind: 'decided', next }]);
    expect(lines.filter((line) => /^endcap_decisions_total\{.*\} [1-9]/.test(line))).toEqual([
      `endcap_decisions_total{result="${result}"} 1`,
    ]);
  });

  it('do not count a cap as hit when a reservation reaches it', async () => {
    const facts = { ...play, frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }] };
    const lines = await linesOf(createMetrics(), [{ kind: 'reserved', play, facts }]);
    expect(lines.some((line) => /^endcap_caps_hit_total\{.*\} [1-9]/.test(line))).toBe(false);
  });

  it('have no value before it is known, and after it is gone', async () => {
    const metrics = createMetrics();
    const media = { files: 0, bytes: 0, quotaBytes: 1, freeBytes: null, problems: [] };
    const token = { ageMs: 1000, expiresAt: null, expiresInMs: null };
    const values = async (read: Parameters<typeof exampleStatus>[2]) =>
      (await linesOf(metrics, [], read)).filter((line) =>
        /^endcap_(playlist_age|disk_free|token_age|media_cache_problem)/.test(line),
      );
    expect(await values({ media })).toEqual([]);
    expect(await values({ token, playlistAt: NOW, cacheProblems: ['disk-low'] })).toEqual([
      'endcap_token_age_seconds 1',
      'endcap_playlist_age_seconds 0',
      'endcap_media_cache_problem{code="disk-low"} 1',
      'endcap_disk_free_bytes 5000',
    ]);
    expect(await values({ media })).toEqual([]);
  });

  it('keep a bounded number of label values', async () => {
    const facts = Array.from({ length: 500 }, (_, i) => [
      settled({ source: `SOURCE_${i}` }),
      capHit(`WINDOW_${i}`),
      failed('media', `code-${i}`),
      failed('media', `not a code: ${i}`),
    ]);
    const lines = await linesOf(createMetrics(), [...facts.flat(), failed('media', 'code-0')]);
    const series = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}{`) && !line.endsWith(' 0'));
    expect(series('endcap_plays_total')).toEqual([
      'endcap_plays_total{outcome="completed",source="other"} 500',
    ]);
    expect(series('endcap_caps_hit_total')).toEqual(['endcap_caps_hit_total{window="other"} 500']);
    expect(series('endcap_service_errors_total')).toHaveLength(65);
    expect(lines).toContain('endcap_service_errors_total{operation="media",code="other"} 936');
    expect(lines).toContain('endcap_service_errors_total{operation="media",code="code-0"} 2');
  });

  it('of two players are separate', async () => {
    const first = createMetrics();
    first.count(capHit('FREQUENCY_CAP_WINDOW_DAY'));
    const lines = await linesOf(createMetrics());
    expect(lines).toContain('endcap_caps_hit_total{window="FREQUENCY_CAP_WINDOW_DAY"} 0');
  });
});
