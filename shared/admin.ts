import { z } from 'zod';
import { BeaconResults, BeaconState, MAX_PLAY_SCRIPTS } from './beacon';
import { plain } from './plain';
import { MAX_GUEST_ERROR_LENGTH, MAX_GUEST_ERRORS, PlayOutcome, Showing } from './play';
import { PlayReport } from './play-report';
import type { RpcContract } from './rpc';
import { MAX_PAUSE_MINUTES, OVERLAY_LANGUAGES, OVERLAY_THEMES } from './staff';

/**
 * The contract between main and the admin overlay of the kiosk window.
 *
 * The window makes numbered calls and gets exactly one answer to each; main reports changes by itself. Main decides
 * what is visible: the window shows what `overlay` says, and a call that the session does not permit is rejected
 * whatever the window shows. Times are ms since the epoch, UTC, by the clock for decisions (rule 10), durations are ms,
 * sizes bytes. Answers cut texts and lists to the bounds
 * given here, and drop what they do not name; URLs come without their query. No answer ever
 * holds a secret, a token, a PIN or its hash.
 */

const count = plain.count;
const ms = z.number().min(0);
const at = plain.number;
const bytes = z.number().min(0);
/** Text of an answer, of which at most `most` characters are shown. */
const textOf = (most: number) => z.string().overwrite((text) => cut(text, most));
const id = textOf(200);
const text = textOf(500);
/** The first `most` of a list in an answer. */
const firstOf = <T extends z.ZodType>(item: T, most: number) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), z.array(item));
const nothing = z.null();
const limit = z.int().min(1).max(200);

/** A text of at most `most` characters; an ellipsis stands for the rest. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

// Session

export const MAX_PIN_DIGITS = 12;
/** An open overlay locks itself, and the PIN pad closes, after this long without input, ms (rule 24). */
export const LOCKS_AFTER_MS = 60_000;

/**
 * What the window has to show above the stage.
 * - `closed`: nothing.
 * - `locked`: the PIN pad, and nothing else of the kiosk. `waitMs` > 0: no PIN is accepted for that long.
 * - `open`: the pages. `mayAct` is false on a kiosk without a PIN: the pages are read-only (rule 24).
 * - `set-up`: the first set-up, on a kiosk without settings.
 */
export const OverlayView = z.discriminatedUnion('view', [
  z.object({ view: z.literal('closed') }),
  z.object({ view: z.literal('locked'), attemptsLeft: count, waitMs: ms }),
  z.object({ view: z.literal('open'), mayAct: plain.yesOrNo }),
  z.object({ view: z.literal('set-up') }),
]);
export type OverlayView = z.infer<typeof OverlayView>;

export const OverlayLanguage = z.enum(OVERLAY_LANGUAGES);
export type OverlayLanguage = z.infer<typeof OverlayLanguage>;
const OverlayTheme = z.enum(OVERLAY_THEMES);

/** Preferences that are chosen in the overlay itself; stored across restarts. */
export const OverlayPreferences = z.object({ language: OverlayLanguage, theme: OverlayTheme });
export type OverlayPreferences = z.infer<typeof OverlayPreferences>;

export const OverlayState = z.object({
  overlay: OverlayView,
  preferences: OverlayPreferences,
  /**
   * When the pause for maintenance ends: a card covers the stage for shoppers while the overlay is closed; null: no
   * pause.
   */
  maintenanceUntil: at.nullable(),
});
export type OverlayState = z.infer<typeof OverlayState>;

export const Unlocking = z.discriminatedUnion('result', [
  z.object({ result: z.literal('unlocked') }),
  /** After the last attempt, `wait` follows. */
  z.object({ result: z.literal('wrong'), attemptsLeft: count }),
  /** The PIN was not checked; or it was wrong, and the waiting times begin or grow. */
  z.object({ result: z.literal('wait'), waitMs: ms }),
]);
export type Unlocking = z.infer<typeof Unlocking>;

// Home

export const ActionName = z.enum([
  'pause',
  'resume',
  'skip',
  'refresh',
  'sound',
  'display',
  'clear-media',
  'connection-test',
  'restart-player',
  'restart-kiosk',
  'leave',
  'change-pin',
  'set-up',
  'export',
  'autostart',
]);
export type ActionName = z.infer<typeof ActionName>;

/** A problem that staff have to see; `code` is stable, message and advice are English. */
export const AdminProblem = z.object({
  code: textOf(100),
  message: text,
  advice: text.nullable(),
});
export type AdminProblem = z.infer<typeof AdminProblem>;

export const AdminShowing = Showing.extend({
  adId: id.nullable(),
  campaignId: id.nullable(),
  sourceId: id.nullable(),
  mediaUrl: text.nullable(),
  /** A preview, as `media://cache/…`; null where it is neither picture nor video, or not in the cache. */
  picture: z.object({ url: text, kind: z.enum(['image', 'video']) }).nullable(),
});
export type AdminShowing = z.infer<typeof AdminShowing>;

/** A minute of the last hour: plays that began in it, and how long something was on the screen (0 to 60,000 ms). */
export const AdminMinute = z.object({ plays: count, interrupted: count, failed: count, viewedMs: ms });
export type AdminMinute = z.infer<typeof AdminMinute>;

/** The last hour in minutes, of which the last is still running; `startedAt`: when the player started. */
export const AdminTimeline = z.object({
  /** When the first minute begins. */
  from: at,
  minutes: z.array(AdminMinute).max(60),
  /** Later than `from` where there were more plays than the status lists: those before it are not counted. */
  countedFrom: at,
  startedAt: at,
});
export type AdminTimeline = z.infer<typeof AdminTimeline>;

const ApartFromProblems = z.enum([
  'starting',
  'playing',
  'playing-from-store',
  'no-content',
  'paused',
  'closed',
  'held',
]);

export const AdminHome = z.object({
  /**
   * The main state, regardless of the overlay: while the overlay covers the stage, the state that the kiosk returns to.
   * `paused`: for maintenance. `closed`: outside opening hours.
   */
  state: z.enum([...ApartFromProblems.options, 'attention']),
  since: at,
  /** The same, as it would be without the problems. */
  apartFromProblems: ApartFromProblems,
  /** Problems that need somebody, the latest last. */
  attention: firstOf(AdminProblem, 20),
  now: AdminShowing.nullable(),
  next: AdminShowing.nullable(),
  timeline: AdminTimeline,
  /** The last results of each part of the service; `storage` has problems of files, and beacons have a page. */
  service: z
    .array(
      z.object({
        operation: z.enum(['token', 'inventory', 'ads', 'native']),
        lastSuccessAt: at.nullable(),
        failing: plain.yesOrNo,
        lastError: AdminProblem.extend({ at }).nullable(),
      }),
    )
    .max(10),
  /** The latest good answer of any part of the service. */
  lastContactAt: at.nullable(),
  clock: z.object({
    now: at,
    /** `now` less the system's time; may be negative. */
    correctionMs: plain.number,
    trusted: plain.yesOrNo,
    /** The store's, in which staff read times and days; null: the machine's own. */
    timeZone: id.nullable(),
  }),
  playlist: z.object({ receivedAt: at, rejected: count, ads: count, eligible: count }).nullable(),
  storage: z.object({
    mediaFiles: count,
    mediaBytes: bytes,
    quotaBytes: bytes,
    freeBytes: bytes.nullable(),
    plays: count,
    lostPlays: count,
    /** Their codes: of the cache as a whole first, then of single files. */
    problems: firstOf(id, 20),
  }),
  /** The power of the display; null: it was never switched. */
  display: z
    .object({
      /** What switches it; null: nothing yet. */
      how: id.nullable(),
      on: plain.yesOrNo.nullable(),
      /** When it is switched next. */
      until: at.nullable(),
      /** `hours`: by the settings; `switch`: by staff or the operator; `touch`: while somebody is at the screen. */
      by: z.enum(['hours', 'switch', 'touch']).nullable(),
      failing: plain.yesOrNo,
    })
    .nullable(),
  /** Delivery of proof of play to its receiver; null: it stays on the kiosk. */
  proof: z
    .object({ waiting: count.nullable(), lastSentAt: at.nullable(), setAside: count, failing: plain.yesOrNo })
    .nullable(),
  /** The live link to the fleet's broker; null: there is none. */
  link: z
    .object({
      connected: plain.yesOrNo,
      /** The broker that it is connected to, or tries to reach. */
      broker: text.nullable(),
      /** Since when it is connected, or not. */
      since: at,
      /** Why it is not connected. */
      error: AdminProblem.nullable(),
    })
    .nullable(),
  kiosk: z.object({
    /** Fingerprint of its signing key, which identifies its exports. */
    id,
    /** `ads.params.playerid`, or null. */
    player: id.nullable(),
    hostName: id,
    addresses: firstOf(textOf(64), 32),
    /** For `verify-plays`. */
    publicKey: id,
    environment: id,
  }),
  versions: z.object({
    endcap: id,
    electron: id.nullable(),
    chromium: id.nullable(),
    node: id,
  }),
  settings: z.object({
    /** Null for the embedded demo. */
    file: text.nullable(),
    /** The settings are an operator's file and cannot be changed here. */
    managed: plain.yesOrNo,
    problems: firstOf(text, 20),
    /** Settings from the fleet's operator that are in force over the file; null: none. */
    remote: z
      .object({
        since: at,
        /** Fingerprint of the key that signed it. */
        by: id,
        settings: firstOf(id, 100),
        onTrial: plain.yesOrNo,
      })
      .nullable(),
  }),
  sound: z.object({ volume: z.number().min(0).max(1) }),
  /**
   * Whether the kiosk starts with the machine, as the platform reports. `service`: a service of the system starts it,
   * and this cannot be changed here.
   */
  autostart: z.object({ on: plain.yesOrNo, by: z.enum(['service', 'session']) }),
  maintenanceUntil: at.nullable(),
  /**
   * Why each action is not available; null: it is. `locked`: without a PIN the overlay is read-only. `managed`: the
   * settings file decides.
   */
  actions: z.record(ActionName, z.enum(['locked', 'managed', 'not-here', 'nothing-to-do']).nullable()),
  /** The most likely actions now, likeliest first; all are available. */
  suggestions: firstOf(ActionName, 3),
});
export type AdminHome = z.infer<typeof AdminHome>;

// Why this ad?

export const AdReason = z.enum(['expired', 'audience', 'capped', 'uncountable', 'no-media', 'blocked']);
export type AdReason = z.infer<typeof AdReason>;

/** How much of each list of an audience is shown, and how many caps of an ad. */
export const MAX_SHOWN = 8;
export const MAX_SHOWN_CAPS = 12;

const Profile = z.object({
  /** As the service writes it: `AGE_RANGE_25_29`; null: any. */
  ageRange: id.nullable(),
  gender: id.nullable(),
  groupSize: z.object({ operator: id.nullable(), value: count }).nullable(),
});
const Condition = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demographic'), profiles: firstOf(Profile, MAX_SHOWN), more: count }),
  z.object({
    kind: z.literal('basket'),
    skus: firstOf(id, MAX_SHOWN),
    items: firstOf(id, MAX_SHOWN),
    more: count,
  }),
  z.object({ kind: z.literal('weather'), types: firstOf(id, MAX_SHOWN), more: count }),
  z.object({ kind: z.literal('unreadable') }),
]);
const ConditionGroup = z.object({ conditions: firstOf(Condition, MAX_SHOWN), moreConditions: count });

/** An audience cut to what a table can hold; `more…` counts what was left out. */
export const AudienceOutline = z.object({ groups: firstOf(ConditionGroup, MAX_SHOWN), moreGroups: count });
export type AudienceOutline = z.infer<typeof AudienceOutline>;

/** What the overlay calls the window of a cap, in each language. */
export const CapWindowWords = z.object({ en: plain.text, de: plain.text });
export type CapWindowWords = z.infer<typeof CapWindowWords>;

export const AdRow = z.object({
  /** Its place in the stored playlist; ids need not be unique. */
  index: count,
  id,
  title: id.nullable(),
  source: id.nullable(),
  sourceId: id.nullable(),
  flightId: id.nullable(),
  campaignId: id.nullable(),
  /** When it stops: its own expiry, else the playlist's age limit (rule 3). */
  expiresAt: at,
  /** It has no expiry of its own. */
  expiresWithPlaylist: plain.yesOrNo,
  caps: firstOf(
    z.object({ window: id, words: CapWindowWords.nullable(), limit: count, used: count }),
    MAX_SHOWN_CAPS,
  ),
  moreCaps: count,
  /** Null: everybody. */
  audience: AudienceOutline.nullable(),
  media: z.object({
    /**
     * `waiting`: not on disk yet. `failed`: all tries failed, see `detail`. `unsupported`: this kiosk can show none of
     * its files.
     */
    state: z.enum(['ready', 'waiting', 'failed', 'unsupported']),
    url: text.nullable(),
    detail: text.nullable(),
  }),
  durationMs: ms.nullable(),
  eligible: plain.yesOrNo,
  reasons: z.array(AdReason).max(6),
  /** The decision in English sentences. */
  detail: textOf(2_000),
});
export type AdRow = z.infer<typeof AdRow>;

/** Which ads of the stored playlist are listed. */
export const AdsChoice = z.enum(['all', 'eligible', 'not-eligible', ...AdReason.options]);
export type AdsChoice = z.infer<typeof AdsChoice>;

export const AdsQuery = z.object({
  /** Text anywhere in id, title, source, flight or campaign, case-insensitive; empty: all. */
  search: z.string().max(100),
  show: AdsChoice,
  limit,
});
export type AdsQuery = z.infer<typeof AdsQuery>;

/** An ad that could not be read (rule 2). */
const RejectedRow = z.object({ id: id.nullable(), code: id, detail: text });

export const AdsPage = z.object({
  /** The moment for which the ads were judged. */
  at,
  /** How many ads each choice lists without a search; an ad can have several reasons. */
  counts: z.record(AdsChoice, count),
  /** How many ads the query finds; `rows` are the first of them, in playlist order. */
  matching: count,
  rows: z.array(AdRow).max(200),
  /** Ads of the last answer that could not be read (rule 2). */
  rejected: firstOf(RejectedRow, 100),
  rejectedTotal: count,
  /** The last online answer with ads, and the verdict on each; null: none in this run. */
  online: z
    .object({
      at,
      ads: z
        .array(AdRow.pick({ id: true, title: true, eligible: true, reasons: true, detail: true }))
        .max(20),
      rejected: firstOf(RejectedRow, 10),
      /** How many ads are not listed here. */
      more: count,
    })
    .nullable(),
});
export type AdsPage = z.infer<typeof AdsPage>;

// Proof of play

/** A period, `from` inclusive, `to` exclusive. */
export const Period = z.object({ from: at, to: at }).refine(({ from, to }) => from < to, {
  error: 'from must be before to',
});
export type Period = z.infer<typeof Period>;

/** `counting`: plays that were never counted before are counted first; ask again in a moment. `done` is 0 to 1. */
const ReportAnswer = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready'), report: PlayReport }),
  z.object({ state: z.literal('counting'), done: z.number().min(0).max(1) }),
]);

export const PlayRow = z.object({
  id,
  at,
  adId: id,
  flightId: id.nullable(),
  campaignId: id.nullable(),
  sourceId: id.nullable(),
  outcome: PlayOutcome,
  viewedMs: ms,
  endReason: id.nullable(),
  beacons: BeaconResults.nullable(),
  /** Results of its JavaScript beacons, in their order. */
  scripts: z.array(plain.text).max(MAX_PLAY_SCRIPTS),
  /** Errors in the banner or page that showed. */
  guestErrors: z.array(z.string().max(MAX_GUEST_ERROR_LENGTH)).max(MAX_GUEST_ERRORS),
});
export type PlayRow = z.infer<typeof PlayRow>;

const PlaysPage = z.object({
  /** Newest first. */
  rows: z.array(PlayRow).max(200),
  /** Where the next page begins; null: this is the last one. */
  next: z.object({ at, id: plain.text }).nullable(),
});

export const ExportFormat = z.enum(['csv', 'ndjson']);
export type ExportFormat = z.infer<typeof ExportFormat>;

export const ExportTarget = z.object({
  id: plain.text,
  /** `folder`: the data folder's `exports`. */
  kind: z.enum(['usb', 'folder']),
  /** The drive's name, or the folder's path. */
  label: text,
  freeBytes: bytes.nullable(),
});
export type ExportTarget = z.infer<typeof ExportTarget>;

const ExportInterruption = z.enum(['target-gone', 'no-space', 'not-writable', 'books']);

/** The signature is in `FILE.sig`, beside `file`. */
const begunExport = { file: text, target: ExportTarget, rows: count };
/** The share that is written, 0 to 1, by the time of the plays. */
const done = z.number().min(0).max(1);

/**
 * The states of an export. `interrupted`: the drive was pulled out or is full, or the books did not answer; the
 * unfinished file is deleted, at once or when the drive is back.
 */
export const ExportState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('running'), ...begunExport, done }),
  z.object({
    state: z.literal('interrupted'),
    ...begunExport,
    done,
    code: ExportInterruption,
    message: text,
  }),
  z.object({ state: z.literal('finished'), ...begunExport, bytes, sha256: z.string().max(64), at }),
  z.object({ state: z.literal('cancelled') }),
]);
export type ExportState = z.infer<typeof ExportState>;

// Beacons, signals, log

export const BeaconsQuery = z.object({
  /** `open`: waiting or being sent; `lost`: refused or expired. */
  show: z.enum(['open', 'lost', 'unknown', 'sent']),
  limit,
});
export type BeaconsQuery = z.infer<typeof BeaconsQuery>;

export const BeaconsPage = z.object({
  /** How many wait or are being sent. */
  open: count,
  /** Open ones: the longest due first; ended ones: the latest first. */
  rows: z
    .array(
      z.object({
        event: id,
        /** Without its query; `JavaScript` for a script. */
        url: text,
        state: BeaconState,
        attempts: count,
        eventAt: at,
        dueAt: at,
        finishedAt: at.nullable(),
        lastError: id.nullable(),
      }),
    )
    .max(200),
});
export type BeaconsPage = z.infer<typeof BeaconsPage>;

const SignalView = z
  .object({
    ageMs: ms,
    remainingMs: ms,
    /** How many people, cart entries or weather types; who or what they are is never shown. */
    count,
  })
  .nullable();
export const SignalsPage = z.object({
  at,
  shopper: SignalView,
  cart: SignalView,
  weather: SignalView,
  /** The local interface that sensors talk to, or why there is none. */
  server: z.object({ url: text.nullable(), problem: text.nullable() }),
});
export type SignalsPage = z.infer<typeof SignalsPage>;

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevel = z.infer<typeof LogLevel>;
export const LogQuery = z.object({
  /** This level, and all more serious ones. */
  level: LogLevel,
  /** Text anywhere in the line, case-insensitive; empty: all. */
  search: z.string().max(100),
  limit: z.int().min(1).max(500),
});
export type LogQuery = z.infer<typeof LogQuery>;
export const LogPage = z.object({
  /** Latest first. */
  lines: z.array(z.object({ at: at.nullable(), level: LogLevel, text: textOf(1_000) })).max(500),
  /** Whether older lines were left out of the search. */
  cut: plain.yesOrNo,
});
export type LogPage = z.infer<typeof LogPage>;

// Actions

/** The actions. The window asks for confirmation of dangerous ones; all are recorded. */
export const AdminAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('pause'), minutes: z.int().min(1).max(MAX_PAUSE_MINUTES) }),
  z.object({ action: z.literal('resume') }),
  /** Closes the overlay and goes on with the next ad. */
  z.object({ action: z.literal('skip') }),
  z.object({ action: z.literal('refresh') }),
  /** Null: as the settings say. */
  z.object({ action: z.literal('sound'), volume: z.number().min(0).max(1).nullable() }),
  /** Until the hours of `display.power` change next; null: back to those hours. Off closes the overlay. */
  z.object({ action: z.literal('display'), on: plain.yesOrNo.nullable() }),
  z.object({ action: z.literal('clear-media') }),
  z.object({ action: z.literal('autostart'), on: plain.yesOrNo }),
  z.object({ action: z.literal('restart-player') }),
  z.object({ action: z.literal('restart-kiosk') }),
  z.object({ action: z.literal('leave') }),
]);
export type AdminAction = z.infer<typeof AdminAction>;

export const ActionResult = z.discriminatedUnion('result', [
  z.object({ result: z.literal('done') }),
  z.object({ result: z.literal('cleared'), files: count, bytes }),
  /** `code` is stable: a code of the service's errors, `no-reboot`, `autostart-refused` or `display-not-switched`. */
  z.object({ result: z.literal('failed'), code: id, message: text, advice: text.nullable() }),
]);
export type ActionResult = z.infer<typeof ActionResult>;

const ConnectionStepName = z.enum(['token', 'inventory', 'ads', 'native']);

/** Details of a recorded action, put into words in the reader's language when they are shown. Never a secret. */
export const RecordedDetail = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('minutes'), minutes: count }),
  z.object({ kind: z.literal('volume'), volume: z.number().min(0).max(1) }),
  z.object({ kind: z.literal('cleared'), files: count, bytes }),
  z.object({ kind: z.literal('switched'), on: plain.yesOrNo }),
  z.object({ kind: z.literal('steps-failed'), steps: z.array(ConnectionStepName).max(8) }),
  z.object({ kind: z.literal('exported'), file: text, rows: count }),
  z.object({ kind: z.literal('export-interrupted'), file: text, code: ExportInterruption, message: text }),
  /** Why it failed, as in `ActionResult`. */
  z.object({ kind: z.literal('failed'), code: id, message: text }),
  /** English text, from a version that stored nothing more. */
  z.object({ kind: z.literal('text'), text }),
]);
export type RecordedDetail = z.infer<typeof RecordedDetail>;

/** Actions that only the fleet's operator takes; `fleet-command`: a command that could not be read. */
const FleetActionName = z.enum(['screenshot', 'announce', 'log', 'settings', 'blocks', 'fleet-command']);

export const RecordedAction = z.object({
  at,
  action: z.union([ActionName, z.enum(['unlocked', 'wrong-pin', 'locked-out']), FleetActionName]),
  /** Null: nothing to add. */
  detail: RecordedDetail.nullable(),
  outcome: z.enum(['done', 'failed']),
  /** Who did it; absent: somebody at the kiosk. `key`: fingerprint of the key that signed the command, or `unknown`. */
  who: z.object({ kind: z.literal('fleet'), key: id }).exactOptional(),
});
export type RecordedAction = z.infer<typeof RecordedAction>;

/** One line of the connection test. `message` and `advice` are English; the rest is for other languages. */
export const ConnectionStep = z.object({
  step: ConnectionStepName,
  ok: plain.yesOrNo,
  /** A stable code of the error (`wrong-secret`, `unreachable-name`, …), or null. */
  code: textOf(100).nullable(),
  /** How many ads of an answer can be played here, as far as the test can tell; null for steps without ads. */
  ads: count.nullable(),
  message: text,
  advice: text.nullable(),
  ms,
});
export type ConnectionStep = z.infer<typeof ConnectionStep>;

const newPin = z.string().max(64);

const PinChange = z.discriminatedUnion('result', [
  z.object({ result: z.literal('changed') }),
  z.object({ result: z.literal('weak') }),
]);

// Set-up

const entry = z.string().max(2_048);
const secretEntry = z.string().max(4_096).nullable();
/** The entries of the set-up, as typed. A secret is null when it was not typed again: the stored one stays. */
export const SetUpForm = z.object({
  baseUrl: entry,
  /** Empty: the service needs no sign-in. */
  authUrl: entry,
  /** Empty: no native ads. */
  nativeUrl: entry,
  clientId: entry,
  clientSecret: secretEntry,
  projectId: entry,
  playerId: entry,
  /** The retailer's key among the request parameters. */
  playerKey: entry,
  apptoken: secretEntry,
  zoneId: entry,
  /** `http://host:port`, "system" or empty: none. */
  proxyUrl: entry,
  /** Empty: the proxy asks for none. */
  proxyUser: entry,
  proxyPassword: secretEntry,
  /** Path of a PEM file; empty: none. */
  caFile: entry,
});
export type SetUpForm = z.infer<typeof SetUpForm>;
export type SetUpField = keyof SetUpForm;

export const SetUpPage = z.object({
  /** Secrets are null; `has` tells whether they are stored. After a power cut: the entries so far. */
  form: SetUpForm,
  has: z.object({
    clientSecret: plain.yesOrNo,
    apptoken: plain.yesOrNo,
    proxyPassword: plain.yesOrNo,
    pin: plain.yesOrNo,
  }),
  canTryDemo: plain.yesOrNo,
});
export type SetUpPage = z.infer<typeof SetUpPage>;

export const SetUpProblem = z.object({
  field: SetUpForm.keyof().nullable(),
  /** `missing`: nothing was entered; `address`: not a usable address; `other`: see `message`. */
  code: z.enum(['missing', 'address', 'other']),
  /** In English, for people who know the settings. */
  message: text,
});
export type SetUpProblem = z.infer<typeof SetUpProblem>;

const SetUpTest = z.discriminatedUnion('result', [
  z.object({ result: z.literal('tested'), steps: z.array(ConnectionStep).max(8) }),
  z.object({ result: z.literal('problems'), problems: firstOf(SetUpProblem, 50) }),
]);

const SetUpSaving = z.discriminatedUnion('result', [
  /** The player starts again with the new settings. */
  z.object({ result: z.literal('saved'), file: text }),
  z.object({ result: z.literal('problems'), problems: firstOf(SetUpProblem, 50) }),
  z.object({ result: z.literal('weak-pin') }),
]);

/** The pages of the overlay, in their order. Each has a folder in `renderer/admin/pages/`. */
export const OVERLAY_PAGES = ['home', 'ads', 'plays', 'beacons', 'log', 'actions', 'settings'] as const;
export type OverlayPageName = (typeof OVERLAY_PAGES)[number];

/**
 * Every call, with its input, output and callers: `anybody` always; `viewer` while the overlay is open; `actor` while
 * it is open and may act; `set-up` an actor, or anybody while `overlay.view` is `set-up`.
 */
export const adminCommands = {
  /** The page is loaded; returns what it has to show. To be called once after each load. */
  overlay: { who: 'anybody', input: nothing, output: OverlayState },
  /**
   * A trusted press of a pointer on the picture, wherever it was: main recognises
   * the gesture. Coordinates and size in px of the picture as the shopper sees it.
   */
  tap: {
    who: 'anybody',
    input: z.object({ x: plain.number, y: plain.number, width: plain.number, height: plain.number }),
    output: nothing,
  },
  close: { who: 'anybody', input: nothing, output: nothing },
  lock: { who: 'anybody', input: nothing, output: nothing },
  unlock: { who: 'anybody', input: z.object({ pin: z.string().min(1).max(64) }), output: Unlocking },
  setPreferences: { who: 'anybody', input: OverlayPreferences.partial(), output: OverlayPreferences },

  home: { who: 'viewer', input: nothing, output: AdminHome },
  ads: { who: 'viewer', input: AdsQuery, output: AdsPage },
  report: { who: 'viewer', input: Period, output: ReportAnswer },
  plays: {
    who: 'viewer',
    input: z.object({
      period: Period,
      before: z.object({ at, id: plain.text }).nullable(),
      limit,
    }),
    output: PlaysPage,
  },
  beacons: { who: 'viewer', input: BeaconsQuery, output: BeaconsPage },
  signals: { who: 'viewer', input: nothing, output: SignalsPage },
  log: { who: 'viewer', input: LogQuery, output: LogPage },
  /** Latest first. */
  recordedActions: {
    who: 'viewer',
    input: z.object({ limit }),
    output: z.array(RecordedAction).max(200),
  },

  exportTargets: { who: 'viewer', input: nothing, output: z.array(ExportTarget).max(64) },
  export: { who: 'viewer', input: nothing, output: ExportState },
  startExport: {
    who: 'actor',
    input: z.object({ target: plain.text, format: ExportFormat, period: Period }),
    output: ExportState,
  },
  cancelExport: { who: 'actor', input: nothing, output: ExportState },

  act: { who: 'actor', input: AdminAction, output: ActionResult },
  /** Changes nothing stored; each step is pushed as it ends. */
  testConnection: { who: 'actor', input: nothing, output: z.array(ConnectionStep).max(8) },
  changePin: { who: 'actor', input: z.object({ pin: newPin }), output: PinChange },

  setUp: { who: 'set-up', input: nothing, output: SetUpPage },
  testSetUp: { who: 'set-up', input: SetUpForm, output: SetUpTest },
  /** `pin` null: the present one stays; a first set-up must set one. */
  saveSetUp: {
    who: 'set-up',
    input: z.object({ form: SetUpForm, pin: newPin.nullable() }),
    output: SetUpSaving,
  },
  /** Returns whether a PIN is too weak to be set. */
  judgePin: { who: 'set-up', input: z.object({ pin: newPin }), output: plain.yesOrNo },
  /** Runs the demo until the next start; the kiosk never starts it by itself. */
  tryDemo: { who: 'set-up', input: nothing, output: nothing },
} as const satisfies Record<
  string,
  { who: 'anybody' | 'viewer' | 'actor' | 'set-up'; input: z.ZodType; output: z.ZodType }
>;

export type AdminCommand = keyof typeof adminCommands;
export type AdminInput<C extends AdminCommand> = z.infer<(typeof adminCommands)[C]['input']>;
export type AdminOutput<C extends AdminCommand> = z.infer<(typeof adminCommands)[C]['output']>;

/**
 * Why a call was rejected. `locked`: the session does not permit it. `not-here`: this kiosk has no such thing.
 * `managed`: an operator's settings file decides it. `busy`: another of its kind is under way. `failed`: it was tried,
 * and `message` says why it failed.
 */
export const AdminErrorCode = z.enum([
  'invalid',
  'unknown-command',
  'locked',
  'not-here',
  'managed',
  'busy',
  'no-target',
  'failed',
]);
export type AdminErrorCode = z.infer<typeof AdminErrorCode>;

/** What main reports by itself. */
export const AdminNews = z.discriminatedUnion('kind', [
  /** At every change; the only thing that opens, locks or closes the overlay. */
  z.object({ kind: z.literal('overlay'), state: OverlayState }),
  /** A step of the running connection test has ended. */
  z.object({ kind: z.literal('connection-step'), step: ConnectionStep }),
]);
export type AdminNews = z.infer<typeof AdminNews>;

/** The window is the client, main the server. */
export const overlayContract = {
  calls: adminCommands,
  errorCode: AdminErrorCode,
  fromClient: {},
  fromServer: { news: AdminNews },
} as const satisfies RpcContract;
