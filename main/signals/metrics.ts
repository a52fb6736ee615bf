import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PlayOutcome } from '../../shared/play';
import type { OutboxCounts } from '../beacons/outbox';
import type { ServiceOperation, Status } from './status';

/** What a decision for a slot ended in. */
export type DecisionResult = 'ad' | 'native' | 'house' | 'card' | 'held';

/** Read at each scrape. Ages and corrections in ms, sizes in bytes; null: there is none. */
export interface Readings {
  readonly tokenAgeMs: () => number | null;
  readonly clockCorrectionMs: () => number;
  readonly memory: () => Status['memory'];
  readonly beacons: () => OutboxCounts;
}

/** What is counted as it happens. */
export interface Counting {
  /** A play was settled; `source` as the ad's metadata names it. */
  playSettled(outcome: Exclude<PlayOutcome, 'reserved'>, source: string | null): void;
  /** A slot was decided, in `ms`. */
  decided(result: DecisionResult, ms: number): void;
  /** A cap kept an ad from playing; `window` as the metadata names it. */
  capHit(window: string): void;
  serviceFailed(operation: ServiceOperation, code: string): void;
  /** The signals API answered; `route` is one of its own paths or `other`. */
  requestAnswered(route: string, status: number): void;
}

/** The player's counters, for `GET /metrics`. */
export interface Metrics extends Counting {
  readonly registry: Registry;
}

const SOURCES: readonly string[] = ['SOURCE_TYPE_AD_SERVER', 'SOURCE_TYPE_SSP', 'SOURCE_TYPE_CMS'];
const WINDOWS: readonly string[] = [
  'FREQUENCY_CAP_WINDOW_MINUTE',
  'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES',
  'FREQUENCY_CAP_WINDOW_HOUR',
  'FREQUENCY_CAP_WINDOW_DAY',
  'FREQUENCY_CAP_WINDOW_WEEK',
  'FREQUENCY_CAP_WINDOW_FLIGHT',
];
/** Distinct error codes kept apart; later ones are counted as `other`. */
const MAX_ERROR_CODES = 64;

/** Fresh counters in a registry of their own. Every label has a bounded set of values. */
export function createMetrics(versions: Status['versions'], readings: Readings): Metrics {
  const registry = new Registry();
  const registers = [registry];

  const plays = new Counter({
    name: 'endcap_plays_total',
    help: 'Plays settled, by outcome and by the source that served the ad.',
    labelNames: ['outcome', 'source'],
    registers,
  });
  const decisions = new Counter({
    name: 'endcap_decisions_total',
    help: 'Slots decided, by what was chosen.',
    labelNames: ['result'],
    registers,
  });
  const decisionDuration = new Histogram({
    name: 'endcap_decision_duration_seconds',
    help: 'Time it took to decide a slot.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
    registers,
  });
  const capsHit = new Counter({
    name: 'endcap_caps_hit_total',
    help: 'Ads that a frequency cap kept from playing, by the window of the cap.',
    labelNames: ['window'],
    registers,
  });
  const serviceErrors = new Counter({
    name: 'endcap_service_errors_total',
    help: 'Failed requests to the service and its partners, by operation and kind.',
    labelNames: ['operation', 'code'],
    registers,
  });
  const requests = new Counter({
    name: 'endcap_signals_requests_total',
    help: 'Requests to this interface, by path and status.',
    labelNames: ['route', 'status'],
    registers,
  });

  new Gauge({
    name: 'endcap_build_info',
    help: 'Always 1; the versions are its labels.',
    labelNames: ['version', 'electron', 'chromium', 'node'],
    registers,
  }).set(
    {
      version: versions.endcap,
      electron: versions.electron ?? 'none',
      chromium: versions.chromium ?? 'none',
      node: versions.node,
    },
    1,
  );
  new Gauge({
    name: 'endcap_token_age_seconds',
    help: 'Age of the access token in use; no value while there is none.',
    registers,
    collect() {
      const age = readings.tokenAgeMs();
      if (age === null) this.remove();
      else this.set(age / 1000);
    },
  });
  new Gauge({
    name: 'endcap_clock_correction_seconds',
    help: "Corrected time less the system's.",
    registers,
    collect() {
      this.set(readings.clockCorrectionMs() / 1000);
    },
  });
  new Gauge({
    name: 'endcap_process_resident_memory_bytes',
    help: 'Resident memory, by kind of process.',
    labelNames: ['process'],
    registers,
    collect() {
      this.reset();
      const { residentBytes, processes = {} } = readings.memory();
      this.set({ process: 'main' }, residentBytes);
      for (const [kind, size] of Object.entries(processes)) this.set({ process: kind }, size);
    },
  });
  new Gauge({
    name: 'endcap_process_heap_used_bytes',
    help: 'JavaScript heap in use in the main process.',
    registers,
    collect() {
      this.set(readings.memory().heapUsedBytes);
    },
  });

  new Gauge({
    name: 'endcap_beacons_pending',
    help: 'Beacons stored, and on their way or waiting for their host.',
    registers,
    collect() {
      this.set(readings.beacons().pending);
    },
  });
  new Counter({
    name: 'endcap_beacons_total',
    help: 'Beacons that came to their end since the start, JavaScript ones among them, by what it was.',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { sent, unknown, failed, expired, lost } = readings.beacons();
      this.reset();
      this.inc({ outcome: 'sent' }, sent);
      this.inc({ outcome: 'unknown' }, unknown);
      this.inc({ outcome: 'refused' }, Math.max(0, failed - expired - lost));
      this.inc({ outcome: 'expired' }, expired);
      this.inc({ outcome: 'lost' }, lost);
    },
  });

  const errorCodes = new Set<string>();
  const boundedCode = (code: string): string => {
    if (errorCodes.has(code)) return code;
    if (errorCodes.size >= MAX_ERROR_CODES || !/^[A-Za-z0-9_-]{1,40}$/.test(code)) return 'other';
    errorCodes.add(code);
    return code;
  };

  return {
    registry,
    playSettled(outcome, source) {
      plays.inc({ outcome, source: source === null ? 'none' : known(SOURCES, source) });
    },
    decided(result, ms) {
      decisions.inc({ result });
      decisionDuration.observe(ms / 1000);
    },
    capHit(window) {
      capsHit.inc({ window: known(WINDOWS, window) });
    },
    serviceFailed(operation, code) {
      serviceErrors.inc({ operation, code: boundedCode(code) });
    },
    requestAnswered(route, status) {
      requests.inc({ route, status });
    },
  };
}

function known(values: readonly string[], value: string): string {
  return values.includes(value) ? value : 'other';
}
