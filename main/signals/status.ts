import { PlayOutcome } from '../../shared/play';
import { z } from '../../shared/zod';
import { HarmCause } from '../media/quarantine';

const instant = z.iso.datetime().check(z.describe('RFC 3339, UTC.'));
const ms = z.number().check(z.describe('Milliseconds.'));
const bytes = z.number().check(z.minimum(0));
const count = z.int().check(z.minimum(0));

/** What the kiosk asks the service and its partners for. */
export const ServiceOperation = z.enum(['token', 'inventory', 'ads', 'native', 'media', 'beacons']);
export type ServiceOperation = z.infer<typeof ServiceOperation>;

/**
 * - `starting`: nothing was shown yet.
 * - `playing`: an ad is on the screen and the service answers.
 * - `playing-from-store`: an ad is on the screen from the stored playlist; the service does not answer.
 * - `no-content`: nothing may play; a house creative or the brand card is on the screen.
 * - `held`: ads are held back on purpose (overlay, link view, closed, display off, paused).
 * - `attention`: somebody has to do something; `attention` says what.
 */
export const PlayerState = z.enum([
  'starting',
  'playing',
  'playing-from-store',
  'no-content',
  'held',
  'attention',
]);
export type PlayerState = z.infer<typeof PlayerState>;

export const ShowingKind = z.enum(['ad', 'native', 'house', 'card']);
export type ShowingKind = z.infer<typeof ShowingKind>;

const Showing = z.object({
  kind: ShowingKind,
  adId: z.nullable(z.string()),
  flightId: z.nullable(z.string()),
  campaignId: z.nullable(z.string()),
  sourceId: z.nullable(z.string()),
  mediaUrl: z.nullable(z.string()).check(z.describe('Without its query, which may hold a key.')),
  startedAt: z.nullable(instant).check(z.describe('Null while it waits.')),
  durationMs: z.nullable(ms),
});

const Problem = z.object({
  code: z.string(),
  message: z.string(),
  advice: z.nullable(z.string()).check(z.describe('What to do about it.')),
});
export type Problem = z.infer<typeof Problem>;

const OperationStatus = z.object({
  lastSuccessAt: z.nullable(instant),
  lastError: z.nullable(z.extend(Problem, { at: instant })),
  failing: z.boolean().check(z.describe('The last try failed.')),
});

const SignalStatus = z.nullable(
  z.object({
    ageMs: ms,
    remainingMs: ms,
    count: count.check(z.describe('People, cart entries or weather types; never what they are.')),
  }),
);

export const MAX_REJECTED = 100;
export const MAX_RECENT_PLAYS = 1000;
export const MAX_PROBLEMS = 50;

const Upcoming = z.extend(z.omit(Showing, { startedAt: true }), {
  startsAt: instant.check(z.describe('As things are now; a signal, an answer or a tap may change it.')),
});
export type Upcoming = z.infer<typeof Upcoming>;
export const MAX_UPCOMING = 10;

/** Sections that other parts tell whole; the board keeps the last of each. */
const sections = {
  books: z
    .object({
      environment: z.string(),
      plays: count,
      unsettledAtStart: count,
      lost: z
        .record(z.string(), z.number())
        .check(z.describe('What fell between a snapshot and a loss, in numbers.')),
      restoredFrom: z
        .nullable(z.string())
        .check(z.describe('The snapshot the books were restored from at start.')),
      lastPlayAt: z.nullable(instant),
    })
    .check(z.describe('The records behind caps and proof of play.')),
  media: z.object({
    files: count,
    bytes,
    quotaBytes: bytes,
    freeBytes: z.nullable(bytes),
    problems: z.array(z.string()).check(z.maxLength(MAX_PROBLEMS)),
  }),
  quarantine: z
    .array(
      z.object({
        code: z.literal('harmful'),
        cause: HarmCause.check(z.describe('What happened while it was drawn, the last time.')),
        creative: z.string().check(z.describe('Its address without its query, or its name.')),
        sha256: z.string(),
        since: instant,
        until: instant.check(z.describe('Earlier if its file changes.')),
        advice: z.string(),
      }),
    )
    .check(
      z.maxLength(MAX_PROBLEMS),
      z.describe('Creatives that are not shown because the kiosk hung or broke twice while they were drawn.'),
    ),
  beacons: z.object({
    sent: count,
    failed: count.check(z.describe('Refused, expired or lost.')),
    pending: count.check(z.describe('Stored, and on their way or waiting for their host.')),
    unknown: z.optional(count).check(z.describe('May have arrived, and are not repeated.')),
    expired: z.optional(count),
    lost: z.optional(count),
  }),
  native: z
    .object({
      held: count.check(z.describe('Native ads at hand.')),
      reachable: z
        .boolean()
        .check(z.describe('The native service answered lately; without it no native ad is shown.')),
      lastResult: z.nullable(z.enum(['ads', 'no-fill'])),
      ads: z
        .array(
          z.object({
            instance: z.string(),
            campaignId: z.nullable(z.string()),
            revenueModel: z.nullable(z.string()),
            payout: z
              .nullable(z.string())
              .check(z.describe('What its points are worth, in words; null: no points were given.')),
          }),
        )
        .check(z.maxLength(20)),
    })
    .check(z.describe('Native ads; for operators, never for shoppers.')),
  settings: z.object({
    file: z.nullable(z.string()).check(z.describe('Where they came from; null for the embedded demo.')),
    delivery: z.enum(['offline', 'online', 'auto']),
    problems: z.array(z.string()).check(z.maxLength(MAX_PROBLEMS)),
  }),
  storage: z.object({
    dataDir: z.string(),
    freeBytes: z.nullable(bytes),
    snapshotAt: z.nullable(instant),
    problem: z.nullable(z.string()),
  }),
  network: z.object({ addresses: z.array(z.string()).check(z.maxLength(32)) }),
  egress: z
    .object({
      proxy: z
        .nullable(z.string())
        .check(
          z.describe(
            'The store\'s proxy, without user and password; "system": as the system says; null: none.',
          ),
        ),
      uncheckedHosts: count.check(
        z.describe(
          'Hosts of ads that only the proxy could resolve since the start (at most 1,000 are counted): of these, addresses written as numbers, local names and redirects were checked, and not what the name leads to.',
        ),
      ),
      additionalCas: count.check(z.describe('CAs of network.caFile.')),
    })
    .check(z.describe('How requests leave the kiosk.')),
  kiosk: z
    .object({
      id: z.string().check(z.describe('Fingerprint of its signing key.')),
      publicKey: z.string().check(z.describe('What `verify-plays` checks exports of plays with.')),
    })
    .check(z.describe('Whose an export is.')),
  signalsServer: z
    .object({ url: z.nullable(z.string()), problem: z.nullable(z.string()) })
    .check(z.describe('This interface itself; a problem is seen in the overlay and the log.')),
  upcoming: z
    .array(Upcoming)
    .check(
      z.maxLength(MAX_UPCOMING),
      z.describe('The slots to come, soonest first; native ads beyond the next slot come in between.'),
    ),
} as const;

const RecentPlay = z.object({
  at: instant,
  adId: z.string(),
  flightId: z.nullable(z.string()),
  sourceId: z.nullable(z.string()),
  delivery: z.string().check(z.describe('Where it came from: offline, online, native or house.')),
  mediaUrl: z.string().check(z.describe('Without its query, which may hold a key.')),
  durationMs: z.nullable(ms).check(z.describe('How long it was to be shown.')),
  outcome: PlayOutcome,
  viewedMs: ms,
  endReason: z.nullable(z.string()),
});

/** Answer of `GET /v1/status`: what staff and operators ask first. */
export const Status = z.object({
  version: z.string(),
  state: PlayerState,
  sentence: z.string().check(z.describe('The state in words.')),
  since: instant,
  startedAt: instant,
  attention: z
    .array(Problem)
    .check(z.describe('What somebody has to do something about; empty most of the time.')),
  now: z.nullable(Showing),
  next: z.nullable(Showing),
  service: z.record(ServiceOperation, OperationStatus),
  token: z
    .nullable(z.object({ ageMs: ms, expiresAt: z.nullable(instant), expiresInMs: z.nullable(ms) }))
    .check(z.describe('The access token in use; null while there is none.')),
  playlist: z
    .nullable(
      z.object({
        ads: count,
        playable: count,
        rejected: z
          .array(z.object({ id: z.nullable(z.string()), code: z.string(), detail: z.string() }))
          .check(z.maxLength(MAX_REJECTED)),
        rejectedTotal: count.check(z.describe('All of them; the list stops at 100.')),
        receivedAt: instant,
        ageMs: ms,
        validators: z
          .optional(z.object({ etag: z.nullable(z.string()), lastModified: z.nullable(z.string()) }))
          .check(z.describe('What a conditional request would carry.')),
      }),
    )
    .check(z.describe('The stored playlist; null while there is none.')),
  noFillAt: z.nullable(instant).check(z.describe('When the service last had nothing to show.')),
  clock: z.object({
    now: instant.check(z.describe('The time decisions use.')),
    systemNow: instant,
    correctionMs: ms.check(z.describe('now less systemNow.')),
    trusted: z.boolean().check(z.describe('The service has told the time since start.')),
    lastTrustedAt: z.nullable(instant),
  }),
  signals: z.object({ shopper: SignalStatus, cart: SignalStatus, weather: SignalStatus }),
  memory: z.object({
    residentBytes: bytes.check(z.describe('The main process.')),
    heapUsedBytes: bytes,
    processes: z
      .optional(z.record(z.string(), bytes))
      .check(z.describe('Resident bytes by kind of process.')),
  }),
  versions: z.object({
    endcap: z.string(),
    electron: z.nullable(z.string()),
    chromium: z.nullable(z.string()),
    node: z.string(),
  }),
  plays: z
    .array(RecentPlay)
    .check(z.maxLength(MAX_RECENT_PLAYS), z.describe('Settled in the last hour, oldest first.')),
  upcoming: z.optional(sections.upcoming),
  books: z.optional(sections.books),
  media: z.optional(sections.media),
  quarantine: z.optional(sections.quarantine),
  beacons: z.optional(sections.beacons),
  native: z.optional(sections.native),
  settings: z.optional(sections.settings),
  storage: z.optional(sections.storage),
  network: z.optional(sections.network),
  egress: z.optional(sections.egress),
  kiosk: z.optional(sections.kiosk),
  signalsServer: z.optional(sections.signalsServer),
});
export type Status = z.infer<typeof Status>;

/** The sections that are told whole, with their values. */
export type StatusSections = Required<Pick<Status, keyof typeof sections>>;
