import { z } from 'zod';
import { instant as toInstant } from '../../shared/clock';
import { plain } from '../../shared/plain';
import { type Play, PlayOutcome, Showing, showingKind } from '../../shared/play';
import type { Tally } from '../decisions/decider';
import { HarmCause } from '../media/quarantine';
import {
  MAX_NATIVE_ADS,
  MAX_PROBLEMS,
  MAX_RECENT_PLAYS,
  MAX_REJECTED,
  MAX_UPCOMING,
  SERVICE_OPERATIONS,
} from './status-bounds';

/** In the status: ms since the epoch, UTC; in its JSON: RFC 3339. */
const instant = z.number().transform(toInstant).pipe(z.iso.datetime()).describe('RFC 3339, UTC.');
const ms = z.number().describe('Milliseconds.');
const bytes = z.number().min(0);
const count = plain.count;

const PlayerState = z
  .enum(['starting', 'playing', 'playing-from-store', 'no-content', 'held', 'attention'])
  .describe(
    '`starting`: nothing was shown yet. `playing`: an ad is on the screen and the service answers. ' +
      '`playing-from-store`: an ad is on the screen from the stored playlist; the service does not answer. ' +
      '`no-content`: nothing may play; a house creative or the brand card is on the screen. ' +
      '`held`: ads are held back on purpose (overlay, a page behind an ad, an announcement, closed, display off, paused). ' +
      '`attention`: somebody has to do something, as the list of this name says.',
  );

const Problem = z.object({
  code: plain.text,
  message: plain.text,
  advice: plain.textOrNull.describe('What to do about it.'),
});
export type Problem = z.infer<typeof Problem>;

const OperationStatus = z.object({
  lastSuccessAt: instant.nullable(),
  lastError: Problem.extend({ at: instant }).nullable(),
  failing: z.boolean().describe('The last try failed.'),
});

const SignalStatus = z
  .object({
    ageMs: ms,
    remainingMs: ms,
    count: count.describe('People, cart entries or weather types; never what they are.'),
  })
  .nullable();

const RejectedAds = z.object({
  rejected: z
    .array(z.object({ id: plain.textOrNull, code: plain.text, detail: plain.text }))
    .max(MAX_REJECTED)
    .describe('Of the last answer with ads, whether or not its other ads are stored.'),
  rejectedTotal: count.describe('All of them; the list stops at 100.'),
});

const ShownAd = z.object({
  kind: z.enum(['ad', 'native', 'house', 'card']),
  adId: plain.textOrNull,
  flightId: plain.textOrNull,
  campaignId: plain.textOrNull,
  sourceId: plain.textOrNull,
  mediaUrl: plain.textOrNull.describe('Without its query, which may hold a key.'),
});
const OnStage = Showing.transform(({ delivery, at, ...ad }) => ({
  ...ad,
  kind: showingKind({ delivery }),
  startedAt: at,
})).pipe(
  ShownAd.extend({
    startedAt: instant.nullable().describe('Null while it waits.'),
    durationMs: ms.nullable(),
  }),
);
const Upcoming = Showing.extend({ at: plain.number })
  .transform(({ delivery, at, ...ad }) => ({ ...ad, kind: showingKind({ delivery }), startsAt: at }))
  .pipe(
    ShownAd.extend({
      durationMs: ms.nullable(),
      startsAt: instant.describe('As things are now; a signal, an answer or a tap may change it.'),
    }),
  );

const RecentPlay = z.object({
  at: instant,
  adId: plain.text,
  flightId: plain.textOrNull,
  sourceId: plain.textOrNull,
  delivery: z.string().describe('Where it came from: offline, online, native or house.'),
  mediaUrl: z.string().describe('Without its query, which may hold a key.'),
  durationMs: ms.nullable().describe('How long it was to be shown.'),
  outcome: PlayOutcome,
  viewedMs: ms,
  endReason: plain.textOrNull,
});

const Books = z
  .object({
    environment: plain.text,
    plays: count,
    unsettledAtStart: count,
    lost: z.record(plain.text, plain.number).describe('What was lost since the last snapshot, in numbers.'),
    restoredFrom: instant.nullable().describe('The snapshot the books were restored from at start.'),
    lastPlayAt: instant.nullable(),
  })
  .describe('The records behind caps and proof of play.');

const Media = z.object({
  files: count,
  bytes,
  quotaBytes: bytes,
  freeBytes: bytes.nullable(),
  problems: z.array(plain.text).max(MAX_PROBLEMS),
});

const Quarantine = z
  .array(
    z.object({
      code: z.literal('harmful'),
      cause: HarmCause.describe('What happened while it was drawn, the last time.'),
      creative: z.string().describe('Its address without its query, or its name.'),
      sha256: plain.text,
      since: instant,
      until: instant.describe('Earlier if its file changes.'),
      advice: plain.text,
    }),
  )
  .max(MAX_PROBLEMS)
  .describe('Creatives that are not shown because the kiosk hung or broke twice while they were drawn.');

const Beacons = z.object({
  sent: count,
  failed: count.describe('Refused, expired or lost.'),
  pending: count.describe('Stored, and on their way or waiting for their host.'),
  unknown: count.describe('May have arrived, and are not repeated.'),
  expired: count,
  lost: count,
});

const Native = z
  .object({
    held: count.describe('Native ads at hand.'),
    reachable: z.boolean().describe('The native service answered lately; without it no native ad is shown.'),
    lastResult: z
      .enum(['ads', 'no-fill', 'unusable'])
      .nullable()
      .describe('Of the last request that did not fail. `unusable`: ads came, and none can be used.'),
    ads: z
      .array(
        z.object({
          instance: plain.text,
          campaignId: plain.textOrNull,
          revenueModel: plain.textOrNull,
          payout: z
            .string()
            .nullable()
            .describe('What its points are worth, in words; null: no points were given.'),
        }),
      )
      .max(MAX_NATIVE_ADS),
  })
  .describe('Native ads; for operators, never for shoppers.');

const SettingsInForce = z.object({
  file: plain.textOrNull.describe('Where they came from; null for the embedded demo.'),
  delivery: z.enum(['offline', 'online', 'auto']),
  problems: z.array(plain.text).max(MAX_PROBLEMS),
  remote: z
    .object({
      since: instant,
      by: z.string().describe('Fingerprint of the key that signed them.'),
      settings: z.array(plain.text).describe('The settings that they change.'),
      onTrial: z.boolean().describe('They have not proven yet that the kiosk plays with them.'),
    })
    .nullable()
    .describe("What the fleet's operator sent (rule 30); null: the file alone is in force."),
});

const Egress = z
  .object({
    proxy: z
      .string()
      .nullable()
      .describe('The store\'s proxy, without user and password; "system": that of the system; null: none.'),
    uncheckedHosts: count.describe(
      'Hosts of ads that only the proxy could resolve since the start (at most 1,000 are counted). Numeric addresses, local names and redirects were checked; the addresses behind the names were not.',
    ),
    additionalCas: count.describe('CAs of network.caFile.'),
  })
  .describe('How requests leave the kiosk.');

const Kiosk = z
  .object({
    id: z.string().describe('Fingerprint of its signing key.'),
    publicKey: z.string().describe('What `verify-plays` checks exports of plays with.'),
  })
  .describe('Identifies the kiosk in exports.');

const Proof = z
  .object({
    waiting: count
      .nullable()
      .describe('Plays neither delivered nor set aside; null while the books have not answered.'),
    oldestAt: instant.nullable().describe('When the oldest of them was settled.'),
    lastSentAt: instant.nullable().describe('Since the start.'),
    setAside: count.describe(
      'Segments that are set aside: the receiver refuses them, or they cannot be read.',
    ),
    lastError: Problem.extend({ at: instant }).nullable().describe('Null: the last try succeeded.'),
  })
  .describe('Proof of play on its way to `proof.url`; absent without one.');

const Fleet = z
  .object({
    connected: plain.yesOrNo,
    broker: z
      .string()
      .nullable()
      .describe('The broker that it is connected to, or tries, without its path; null before the first try.'),
    mqtt: z.enum(['5', '3.1.1']).nullable().describe('Null while it is not connected.'),
    since: instant.describe('When the connection was made or lost.'),
    lastError: Problem.extend({ at: instant }).nullable(),
    blocks: z.record(plain.text, count).describe('Versions of the blocks in force, by addressee.'),
    announcement: z
      .object({ text: plain.text, severity: plain.text, until: instant })
      .nullable()
      .describe('What lies over the ads.'),
  })
  .describe("The live link to the fleet's broker; absent without `fleet.brokers`.");

const Display = z
  .object({
    how: z
      .string()
      .nullable()
      .describe('What switches it: wlopm, sway, dpms, ddc or cec; null: nothing yet.'),
    on: z
      .boolean()
      .nullable()
      .describe('As read or, if it cannot be read, as last commanded; null: unknown.'),
    until: instant.nullable().describe('When it is switched next; null: never.'),
    by: z
      .enum(['hours', 'switch', 'touch'])
      .nullable()
      .describe(
        'What decides: `display.power`, a person or a command, or a touch; null: nothing, it is left alone.',
      ),
    problem: plain.textOrNull.describe('Why it is not in the wanted state.'),
  })
  .describe('The power of the display; absent where it was never switched.');

const SignalsServer = z
  .object({ url: plain.textOrNull, problem: plain.textOrNull })
  .describe('This interface itself; the overlay and the log show its problems, too.');

/** Answer of `GET /v1/status`. It parses a `Status` and outputs its JSON. */
export const StatusJson = z.object({
  version: plain.text,
  state: PlayerState,
  sentence: z.string().describe('The state in words.'),
  since: instant,
  startedAt: instant,
  hold: z
    .string()
    .nullable()
    .describe(
      'Why ads are held back, as a code such as "closed" or "maintenance" (a pause); null: they are not.',
    ),
  attention: z.array(Problem).describe('Problems that somebody has to solve; usually empty.'),
  now: OnStage.nullable(),
  next: OnStage.nullable(),
  service: z.record(z.enum(SERVICE_OPERATIONS), OperationStatus),
  token: z
    .object({ ageMs: ms, expiresAt: instant.nullable(), expiresInMs: ms.nullable() })
    .nullable()
    .describe('The access token in use; null while there is none, or it has expired.'),
  playlist: z
    .object({
      ads: count,
      playable: count.describe('Ads of which this kiosk can show a file, whether or not it has it yet.'),
      ...RejectedAds.shape,
      receivedAt: instant.describe('When the service last sent or confirmed it.'),
      ageMs: ms,
    })
    .nullable()
    .describe('The stored playlist; null while there is none.'),
  rejectedAds: RejectedAds.describe('Those of `playlist`, also while none is stored.'),
  noFillAt: instant.nullable().describe('When the service last had nothing to show.'),
  clock: z.object({
    now: instant.describe('The time decisions use.'),
    systemNow: instant,
    correctionMs: ms.describe('now minus systemNow.'),
    trusted: z.boolean().describe('The service has given the time since the start.'),
    lastTrustedAt: instant.nullable(),
  }),
  signals: z.object({ shopper: SignalStatus, cart: SignalStatus, weather: SignalStatus }),
  memory: z.object({
    residentBytes: bytes.describe('The main process.'),
    heapUsedBytes: bytes,
    processes: z.record(plain.text, bytes).optional().describe('Resident bytes by kind of process.'),
  }),
  versions: z.object({
    endcap: plain.text,
    electron: plain.textOrNull,
    chromium: plain.textOrNull,
    node: plain.text,
  }),
  plays: z
    .array(RecentPlay)
    .max(MAX_RECENT_PLAYS)
    .describe(`Settled in the last hour, oldest first; of more than ${MAX_RECENT_PLAYS} the newest.`),
  upcoming: z
    .array(Upcoming)
    .max(MAX_UPCOMING)
    .describe('The slots to come, soonest first; native ads beyond the next slot come in between.'),
  books: Books,
  media: Media,
  quarantine: Quarantine,
  beacons: Beacons,
  native: Native.optional(),
  settings: SettingsInForce.optional(),
  egress: Egress,
  kiosk: Kiosk.optional(),
  proof: Proof.optional(),
  fleet: Fleet.optional(),
  display: Display.optional(),
  signalsServer: SignalsServer.optional(),
});
export type StatusJson = z.output<typeof StatusJson>;

/** What main starts again when it ends. */
export type RestartedProcess = 'kiosk' | 'records' | 'graphics' | 'service';

/**
 * How the kiosk is doing: the one model that the API, the overlay and the metrics read.
 * Times are ms since the epoch, UTC; no secret is in it (rule 23).
 */
export interface Status extends z.input<typeof StatusJson> {
  /** Settled in the last hour, oldest first; of more than `MAX_RECENT_PLAYS` the newest. */
  plays: Play[];
  /** Frames of the visible video; `none`: an image or a card. */
  readonly video: 'advancing' | 'none' | 'stalled';
  /** When the service last sent or confirmed the stored playlist; null while there is none. */
  readonly playlistAt: number | null;
  /** Number of ads of the stored playlist by verdict. */
  readonly tally: Tally;
  /** Codes of the problems of the cache of creatives as a whole. */
  readonly cacheProblems: readonly string[];
  /** When this process started by the system's clock. */
  readonly processStartedAt: number;
  /** How often each was started again since the start. */
  readonly restarts: Readonly<Record<RestartedProcess, number>>;
}
