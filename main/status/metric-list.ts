import { PlayOutcome } from '../../shared/play';
import { CAP_WINDOWS } from '../decisions/frequency-caps';
import type { SegmentResult } from '../fleet/shipping-decisions';
import { by, counted, gauge, type Metric, plain, read } from './metric';

const SOURCES: readonly string[] = ['SOURCE_TYPE_AD_SERVER', 'SOURCE_TYPE_SSP', 'SOURCE_TYPE_CMS'];
/** Most distinct error codes; further ones become `other`. */
const MAX_ERROR_CODES = 64;
const DECISIONS = { offline: 'ad', online: 'online', native: 'native', house: 'house' } as const;

/**
 * Every metric is declared here, and only here: those counted from facts, and those read from the status at a
 * scrape. docs/metrics.md is generated from it (`npx vitest run main/status -u`).
 */
export const METRICS: readonly Metric[] = [
  counted({
    name: 'endcap_plays_total',
    help: 'Plays settled, by outcome (given-back: void, no frame was shown) and by the source that served the ad.',
    labels: ['outcome', 'source'],
    values: {
      outcome: PlayOutcome.exclude(['reserved']).options,
      source: [...SOURCES, 'none', 'other'],
    },
    of: 'settled',
    samples: ({ play: { outcome, source } }) => [
      { value: 1, labels: { outcome, source: source === null ? 'none' : known(SOURCES, source) } },
    ],
  }),
  counted({
    name: 'endcap_decisions_total',
    help: 'Decisions on what comes next: a stored ad, an online ad, a native ad, a house creative, the brand card, or held back. A choice that changes before its slot is another decision; the card and a hold count when they begin.',
    labels: ['result'],
    values: { result: [...Object.values(DECISIONS), 'card', 'held'] },
    of: 'decided',
    samples: ({ next }) => [
      { value: 1, labels: { result: next === 'card' || next === 'held' ? next : DECISIONS[next] } },
    ],
  }),
  counted({
    name: 'endcap_decision_duration_seconds',
    help: 'Time it took to choose what comes next, each time it was looked for.',
    labels: [],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
    of: 'chosen',
    samples: ({ tookMs }) => plain(tookMs / 1000),
  }),
  counted({
    name: 'endcap_caps_hit_total',
    help: 'Ads that a frequency cap kept from playing, by the window of the cap: at a decision nothing but caps kept the ad from playing. An ad counts once for each window and each time that its cap is reached, an online ad once an answer.',
    labels: ['window'],
    values: { window: [...CAP_WINDOWS, 'other'] },
    of: 'cap-hit',
    samples: ({ window, ads }) => [{ value: ads, labels: { window: known(CAP_WINDOWS, window) } }],
  }),
  counted({
    name: 'endcap_service_errors_total',
    help: 'Failed requests to the service and its partners, by operation and kind.',
    labels: ['operation', 'code'],
    mostValues: { code: MAX_ERROR_CODES },
    of: 'service-failed',
    samples: ({ operation, problem: { code } }) => [{ value: 1, labels: { operation, code } }],
  }),
  counted({
    name: 'endcap_signals_requests_total',
    help: 'Requests to this interface, by path and status.',
    labels: ['route', 'status'],
    of: 'request-answered',
    samples: ({ route, status }) => [{ value: 1, labels: { route, status } }],
  }),
  counted({
    name: 'endcap_slot_overrun_seconds',
    help: 'How much longer than planned a slot was on the screen; slots that were stopped or broke off are left out.',
    labels: [],
    buckets: [0.017, 0.034, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    of: 'left-screen',
    samples: ({ overrunMs }) => plain(overrunMs / 1000),
  }),
  counted({
    name: 'endcap_frames_presented_total',
    help: 'Frames of videos that were on the screen.',
    labels: [],
    of: 'settled',
    samples: ({ play }) => plain(play.presentedFrames),
  }),
  counted({
    name: 'endcap_frames_dropped_total',
    help: 'Frames of videos that came too late to be shown.',
    labels: [],
    of: 'settled',
    samples: ({ play }) => plain(play.droppedFrames),
  }),
  counted({
    name: 'endcap_stalls_total',
    help: 'How often a video on the screen waited for its data, or stood still so that it was noticed.',
    labels: [],
    of: 'settled',
    samples: ({ play }) => plain(play.stalls),
  }),
  counted({
    name: 'endcap_proof_segments_total',
    help: 'Tries to send a segment of proof of play, by result: delivered, refused (by the receiver, or because it cannot be read; tried again), set-aside (refused three times, or again after that) or failed (no answer, or an error that is not about the segment).',
    labels: ['result'],
    values: { result: ['delivered', 'refused', 'set-aside', 'failed'] satisfies SegmentResult[] },
    of: 'segment-tried',
    samples: ({ result }) => [{ value: 1, labels: { result } }],
  }),
  counted({
    name: 'endcap_fleet_messages_total',
    help: 'Messages over the live link: sent (with a receipt), failed (sent again, or replaced by a later one), dropped (too many answers waited) or received.',
    labels: ['result'],
    values: { result: ['sent', 'failed', 'dropped', 'received'] },
    of: 'fleet-message',
    samples: ({ result }) => [{ value: 1, labels: { result } }],
  }),
  counted({
    name: 'endcap_fleet_commands_total',
    help: 'Commands and blocks that came over the live link, by outcome: done, or why they were refused.',
    labels: ['command', 'outcome'],
    of: 'fleet-command',
    samples: ({ command, outcome }) => [{ value: 1, labels: { command, outcome } }],
  }),
  counted({
    name: 'endcap_display_switches_total',
    help: 'Commands to switch the display on or off, by the way used (wlopm, sway, dpms, ddc or cec) and by result: done, or failed (refused, or the display reports otherwise).',
    labels: ['way', 'result'],
    of: 'display-switched',
    samples: ({ way, isDone }) => [{ value: 1, labels: { way, result: isDone ? 'done' : 'failed' } }],
  }),
  read({
    type: 'gauge',
    name: 'endcap_build_info',
    help: 'Always 1; the versions are its labels.',
    labels: ['version', 'electron', 'chromium', 'node'],
    read: ({ versions: { endcap, electron, chromium, node } }) => [
      {
        value: 1,
        labels: { version: endcap, electron: electron ?? 'none', chromium: chromium ?? 'none', node },
      },
    ],
  }),
  read({
    type: 'gauge',
    name: 'endcap_hold',
    help: 'Why ads are held back (hold of the status), as a code: 1 while they are; no value while they are not.',
    labels: ['reason'],
    read: ({ hold }) => (hold === null ? [] : [{ value: 1, labels: { reason: hold } }]),
  }),
  read({
    type: 'gauge',
    name: 'endcap_attention',
    help: 'Problems that somebody has to solve (attention of the status, which says what to do), by code: 1 while there is one; no value without.',
    labels: ['code'],
    read: ({ attention }) => attention.map(({ code }) => ({ value: 1, labels: { code } })),
  }),
  gauge({
    name: 'endcap_process_start_time_seconds',
    help: "When the kiosk's main process started by the system's clock, seconds since the epoch.",
    read: ({ processStartedAt }) => processStartedAt / 1000,
  }),
  read({
    type: 'counter',
    name: 'endcap_process_restarts_total',
    help: 'Processes started again since the start because they ended or hung, by kind; for the main process see endcap_process_start_time_seconds.',
    labels: ['process'],
    read: ({ restarts }) => by('process', restarts),
  }),
  gauge({
    name: 'endcap_token_age_seconds',
    help: 'Age of the access token in use; no value while there is none.',
    read: ({ token }) => token && token.ageMs / 1000,
  }),
  gauge({
    name: 'endcap_clock_correction_seconds',
    help: "Corrected time minus the system's time.",
    read: ({ clock }) => clock.correctionMs / 1000,
  }),
  read({
    type: 'gauge',
    name: 'endcap_process_resident_memory_bytes',
    help: 'Resident memory, by kind of process.',
    labels: ['process'],
    read({ memory: { residentBytes, processes } }) {
      // Electron's `browser` is the main process.
      const { browser: _main, ...others } = processes ?? {};
      return by('process', { main: residentBytes, ...others });
    },
  }),
  gauge({
    name: 'endcap_process_heap_used_bytes',
    help: 'JavaScript heap in use in the main process.',
    read: ({ memory }) => memory.heapUsedBytes,
  }),
  gauge({
    name: 'endcap_beacons_pending',
    help: 'Beacons stored, and on their way or waiting for their host.',
    read: ({ beacons }) => beacons.pending,
  }),
  read({
    type: 'counter',
    name: 'endcap_beacons_total',
    help: 'Beacons that ended since the start, JavaScript beacons included, by outcome.',
    labels: ['outcome'],
    read: ({ beacons: { sent, unknown, failed, expired, lost } }) =>
      by('outcome', { sent, unknown, refused: Math.max(0, failed - expired - lost), expired, lost }),
  }),
  gauge({
    name: 'endcap_playlist_age_seconds',
    help: 'Since the service last sent or confirmed the stored playlist; no value while there is none.',
    read: ({ playlistAt, clock }) => playlistAt && (clock.now - playlistAt) / 1000,
  }),
  gauge({
    name: 'endcap_playlist_ads',
    help: 'Ads of the stored playlist.',
    read: ({ tally }) => tally.ads,
  }),
  read({
    type: 'gauge',
    name: 'endcap_ads',
    help: 'Ads of the stored playlist that may play at the moment, or why they may not; an ad with several reasons counts under each.',
    labels: ['verdict'],
    read: ({ tally: { eligible, expired, audience, capped, uncountable, noMedia, blocked } }) =>
      by('verdict', {
        'may-play': eligible,
        expired,
        audience,
        capped,
        uncountable,
        'no-media': noMedia,
        blocked,
      }),
  }),
  gauge({
    name: 'endcap_media_cache_bytes',
    help: 'Size of the creatives on disk.',
    read: ({ media }) => media.bytes,
  }),
  gauge({
    name: 'endcap_media_cache_quota_bytes',
    help: 'How large the creatives on disk may grow.',
    read: ({ media }) => media.quotaBytes,
  }),
  read({
    type: 'gauge',
    name: 'endcap_media_cache_problem',
    help: 'Problems of the cache of creatives as a whole, by code, such as cache-too-small and disk-low (media.problems of the status says what to do): 1 while there is one; no value without.',
    labels: ['code'],
    read: ({ cacheProblems }) => cacheProblems.map((code) => ({ value: 1, labels: { code } })),
  }),
  gauge({
    name: 'endcap_proof_plays_waiting',
    help: 'Plays whose proof is neither delivered nor set aside; no value without proof.url.',
    read: ({ proof }) => proof?.waiting ?? null,
  }),
  gauge({
    name: 'endcap_proof_oldest_waiting_seconds',
    help: 'Since the oldest play whose proof is neither delivered nor set aside was settled; no value while none waits.',
    read: ({ proof, clock }) => (proof?.oldestAt == null ? null : (clock.now - proof.oldestAt) / 1000),
  }),
  gauge({
    name: 'endcap_fleet_connected',
    help: '1 while the live link is connected to a broker, 0 while it is not; no value without fleet.brokers.',
    read: ({ fleet }) => (fleet === undefined ? null : Number(fleet.connected)),
  }),
  gauge({
    name: 'endcap_display_on',
    help: 'Whether the display is on: 1 or 0; no value where it is not known, or the display is left alone.',
    read: ({ display }) => (display?.on == null ? null : Number(display.on)),
  }),
  gauge({
    name: 'endcap_display_problem',
    help: 'Whether the display could not be switched to the wanted state: 1 or 0; no value where it is left alone.',
    read: ({ display }) => (display ? Number(display.problem !== null) : null),
  }),
  gauge({
    name: 'endcap_display_off_by_hand',
    help: 'Whether a person or a command switched the display off until it is switched on again: 1 or 0; no value where it is left alone.',
    read: ({ display }) =>
      display ? Number(display.by === 'switch' && display.on === false && display.until === null) : null,
  }),
  gauge({
    name: 'endcap_disk_free_bytes',
    help: 'Free space of the disk that creatives are stored on, as seen within the last minute; no value while it is not known.',
    read: ({ media }) => media.freeBytes,
  }),
];

function known(values: readonly string[], value: string): string {
  return values.includes(value) ? value : 'other';
}
