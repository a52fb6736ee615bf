import type { PlayOutcome } from '../../shared/play';
import { CAP_WINDOWS } from '../decisioning/frequency-caps';
import { type CountedMetric, counted, plain, plainOrNone, read } from './metric-kinds';
import type { ServiceOperation } from './status';

/** What a decision ended in. */
export type DecisionResult = 'ad' | 'online' | 'native' | 'house' | 'card' | 'held';

const SOURCES: readonly string[] = ['SOURCE_TYPE_AD_SERVER', 'SOURCE_TYPE_SSP', 'SOURCE_TYPE_CMS'];
/** Distinct error codes kept apart. */
const MAX_ERROR_CODES = 64;

/**
 * The metrics that are told as things happen, each declared here and nowhere else: the
 * interface `Counting` and the registry are made of this.
 */
export const COUNTED = {
  /** A play was settled; `source` as the ad's metadata names it. */
  playSettled: counted({
    type: 'counter',
    name: 'endcap_plays_total',
    help: 'Plays settled, by outcome and by the source that served the ad.',
    labelNames: ['outcome', 'source'],
    sample: (outcome: Exclude<PlayOutcome, 'reserved'>, source: string | null) => ({
      value: 1,
      labels: { outcome, source: source === null ? 'none' : known(SOURCES, source) },
    }),
  }),
  decided: counted({
    type: 'counter',
    name: 'endcap_decisions_total',
    help: 'Decisions on what comes next: a stored ad, an online ad, a native ad, a house creative, the brand card, or held back. A choice that changes before its slot is another decision; the card and a hold count when they begin.',
    labelNames: ['result'],
    sample: (result: DecisionResult) => ({ value: 1, labels: { result } }),
  }),
  /** Something to show was looked for, which took so many ms. */
  choiceTook: counted({
    type: 'histogram',
    name: 'endcap_decision_duration_seconds',
    help: 'Time it took to choose what comes next, each time it was looked for.',
    labelNames: [],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
    sample: (ms: number) => plain(ms / 1000),
  }),
  /** A cap keeps so many ads from playing; `window` as the metadata names it. */
  capHit: counted({
    type: 'counter',
    name: 'endcap_caps_hit_total',
    help: 'Ads that a frequency cap kept from playing, by the window of the cap: at a decision nothing but caps kept the ad from playing. An ad counts once for each window and each time that its cap is reached, an online ad once an answer.',
    labelNames: ['window'],
    sample: (window: string, ads: number) => ({ value: ads, labels: { window: known(CAP_WINDOWS, window) } }),
  }),
  serviceFailed: counted({
    type: 'counter',
    name: 'endcap_service_errors_total',
    help: 'Failed requests to the service and its partners, by operation and kind.',
    labelNames: ['operation', 'code'],
    mostValues: { code: MAX_ERROR_CODES },
    sample: (operation: ServiceOperation, code: string) => ({ value: 1, labels: { operation, code } }),
  }),
  /** The signals API answered; `route` is one of its own paths or `other`. */
  requestAnswered: counted({
    type: 'counter',
    name: 'endcap_signals_requests_total',
    help: 'Requests to this interface, by path and status.',
    labelNames: ['route', 'status'],
    sample: (route: string, status: number) => ({ value: 1, labels: { route, status } }),
  }),
  /** A slot that ran to its end left the screen so many ms after its planned end. */
  slotOverran: counted({
    type: 'histogram',
    name: 'endcap_slot_overrun_seconds',
    help: 'How much longer than planned a slot was on the screen; slots that were stopped or broke off are left out.',
    labelNames: [],
    buckets: [0.017, 0.034, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    sample: (ms: number) => plain(ms / 1000),
  }),
  framesPresented: counted({
    type: 'counter',
    name: 'endcap_frames_presented_total',
    help: 'Frames of videos that were on the screen.',
    labelNames: [],
    sample: (frames: number) => plain(frames),
  }),
  framesDropped: counted({
    type: 'counter',
    name: 'endcap_frames_dropped_total',
    help: 'Frames of videos that came too late to be shown.',
    labelNames: [],
    sample: (frames: number) => plain(frames),
  }),
  stalled: counted({
    type: 'counter',
    name: 'endcap_stalls_total',
    help: 'How often a video on the screen waited for its data, or stood still so that it was noticed.',
    labelNames: [],
    sample: (stalls: number) => plain(stalls),
  }),
} as const;

/** The metrics that are read at each scrape, each declared here and nowhere else. */
export const READ = {
  buildInfo: read({
    type: 'gauge',
    name: 'endcap_build_info',
    help: 'Always 1; the versions are its labels.',
    labelNames: ['version', 'electron', 'chromium', 'node'],
    read: ({ versions: { endcap, electron, chromium, node } }) => [
      {
        value: 1,
        labels: { version: endcap, electron: electron ?? 'none', chromium: chromium ?? 'none', node },
      },
    ],
  }),
  startTime: read({
    type: 'gauge',
    name: 'endcap_process_start_time_seconds',
    help: "When the kiosk's main process started by the system's clock, seconds since the epoch.",
    labelNames: [],
    read: ({ startedAt }) => [plain(startedAt / 1000)],
  }),
  restarts: read({
    type: 'counter',
    name: 'endcap_process_restarts_total',
    help: 'Processes started again since the start because they ended or hung, by kind; of the main process see endcap_process_start_time_seconds.',
    labelNames: ['process'],
    read: ({ restarts }) =>
      Object.entries(restarts()).map(([process, value]) => ({ value, labels: { process } })),
  }),
  tokenAge: read({
    type: 'gauge',
    name: 'endcap_token_age_seconds',
    help: 'Age of the access token in use; no value while there is none.',
    labelNames: [],
    read: ({ tokenAgeMs }) => plainOrNone(inSeconds(tokenAgeMs())),
  }),
  clockCorrection: read({
    type: 'gauge',
    name: 'endcap_clock_correction_seconds',
    help: "Corrected time less the system's.",
    labelNames: [],
    read: ({ clockCorrectionMs }) => [plain(clockCorrectionMs() / 1000)],
  }),
  residentMemory: read({
    type: 'gauge',
    name: 'endcap_process_resident_memory_bytes',
    help: 'Resident memory, by kind of process.',
    labelNames: ['process'],
    read({ memory }) {
      const { residentBytes, processes = {} } = memory();
      return Object.entries({ main: residentBytes, ...processes }).map(([process, value]) => ({
        ...{ value, labels: { process } },
      }));
    },
  }),
  heapUsed: read({
    type: 'gauge',
    name: 'endcap_process_heap_used_bytes',
    help: 'JavaScript heap in use in the main process.',
    labelNames: [],
    read: ({ memory }) => [plain(memory().heapUsedBytes)],
  }),
  beaconsPending: read({
    type: 'gauge',
    name: 'endcap_beacons_pending',
    help: 'Beacons stored, and on their way or waiting for their host.',
    labelNames: [],
    read: ({ beacons }) => [plain(beacons().pending)],
  }),
  beaconsEnded: read({
    type: 'counter',
    name: 'endcap_beacons_total',
    help: 'Beacons that came to their end since the start, JavaScript ones among them, by what it was.',
    labelNames: ['outcome'],
    read({ beacons }) {
      const { sent, unknown, failed, expired, lost } = beacons();
      const refused = Math.max(0, failed - expired - lost);
      return Object.entries({ sent, unknown, refused, expired, lost }).map(([outcome, value]) => ({
        ...{ value, labels: { outcome } },
      }));
    },
  }),
  playlistAge: read({
    type: 'gauge',
    name: 'endcap_playlist_age_seconds',
    help: 'Since the service last sent or confirmed the stored playlist; no value while there is none.',
    labelNames: [],
    read: ({ playlistAgeMs }) => plainOrNone(inSeconds(playlistAgeMs())),
  }),
  playlistAds: read({
    type: 'gauge',
    name: 'endcap_playlist_ads',
    help: 'Ads of the stored playlist.',
    labelNames: [],
    read: ({ tally }) => [plain(tally().ads)],
  }),
  adsByVerdict: read({
    type: 'gauge',
    name: 'endcap_ads',
    help: 'Ads of the stored playlist that may play at the moment, or why they may not; an ad with several reasons counts under each.',
    labelNames: ['verdict'],
    read({ tally }) {
      const { eligible, expired, audience, capped, uncountable, noMedia } = tally();
      return Object.entries({
        ...{ 'may-play': eligible, expired, audience, capped, uncountable, 'no-media': noMedia },
      }).map(([verdict, value]) => ({ value, labels: { verdict } }));
    },
  }),
  cacheBytes: read({
    type: 'gauge',
    name: 'endcap_media_cache_bytes',
    help: 'Size of the creatives on disk.',
    labelNames: [],
    read: ({ cache }) => [plain(cache().bytes)],
  }),
  cacheQuota: read({
    type: 'gauge',
    name: 'endcap_media_cache_quota_bytes',
    help: 'How large the creatives on disk may grow.',
    labelNames: [],
    read: ({ cache }) => [plain(cache().quotaBytes)],
  }),
  freeDisk: read({
    type: 'gauge',
    name: 'endcap_disk_free_bytes',
    help: 'Free space of the disk that creatives are stored on, as seen within the last minute; no value while it is not known.',
    labelNames: [],
    read: ({ cache }) => plainOrNone(cache().freeBytes),
  }),
} as const;

type Told<Metric> = Metric extends CountedMetric<string, infer Given> ? Given : never;

/** What is counted as it happens: a method for each metric of `COUNTED`. */
export type Counting = {
  readonly [Name in keyof typeof COUNTED]: (...told: Told<(typeof COUNTED)[Name]>) => void;
};

export const COUNTED_NAMES = Object.keys(COUNTED) as (keyof Counting)[];

function known(values: readonly string[], value: string): string {
  return values.includes(value) ? value : 'other';
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
