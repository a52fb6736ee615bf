import type { ExportFormat } from '../../shared/admin';
import type { StoredScript } from '../../shared/beacon';
import { instant } from '../../shared/clock';
import type { ProvenPlay } from '../../shared/play-report';
import type { RecordsOutput } from '../../shared/records';
import { addressesPlain, withoutSecrets } from '../status/shown-text';
import type { Records } from './records-client';

/** Plays per read: about 20 ms of work in the records window, and as much in main. */
const PLAYS_AT_ONCE = 250;

/** Plays are being moved with the clock, or were since the page before. */
export class PlaysMoved extends Error {
  constructor() {
    super('plays are moved with the clock');
  }
}

export type PageOfPlays = RecordsOutput<'provePlays'>;

/**
 * The plays of a period after a page of it (null: the first ones), of all environments (rule 26), oldest first. Rejects
 * with `PlaysMoved` while plays are moved with the clock, and when they were since that page: some would be missing, or
 * there twice.
 */
export async function playsAfter(
  records: Pick<Records, 'run'>,
  { from, to }: { readonly from: number; readonly to: number },
  previous: PageOfPlays | null,
): Promise<PageOfPlays> {
  const after = previous?.next ?? null;
  const all = { environment: null, order: 'oldest-first' } as const;
  const page = await records.run('provePlays', { ...all, from, to, after, limit: PLAYS_AT_ONCE });
  const wereMoved = previous !== null && page.moves !== previous.moves;
  if (wereMoved || page.moves === null) throw new PlaysMoved();
  return page;
}

/** The exported fields of a play, in this order; times are RFC 3339 in UTC, durations ms. */
const FIELDS = {
  id: ({ play }) => play.id,
  at: ({ play }) => instant(play.at),
  shownAt: ({ play }) => (play.shownAt === null ? null : instant(play.shownAt)),
  outcome: ({ play }) => play.outcome,
  endReason: ({ play }) => play.endReason,
  viewedMs: ({ play }) => play.viewedMs,
  // A video states its own length, in fractions.
  durationMs: ({ play }) => play.durationMs && Math.round(play.durationMs),
  presentedFrames: ({ play }) => play.presentedFrames,
  droppedFrames: ({ play }) => play.droppedFrames,
  stalls: ({ play }) => play.stalls,
  delivery: ({ play }) => play.delivery,
  adId: ({ play }) => play.adId,
  requestId: ({ play }) => play.requestId,
  flightId: ({ play }) => play.flightId,
  campaignId: ({ play }) => play.campaignId,
  source: ({ play }) => play.source,
  sourceId: ({ play }) => play.sourceId,
  mediaUrl: ({ play }) => withoutSecrets(play.mediaUrl),
  environment: ({ play }) => play.environment,
  beaconsSent: ({ beacons }) => beacons?.sent ?? null,
  beaconsUnknown: ({ beacons }) => beacons?.unknown ?? null,
  beaconsFailed: ({ beacons }) => beacons?.failed ?? null,
  beaconsPending: ({ beacons }) => beacons?.pending ?? null,
  scripts: ({ scripts }) => scripts?.map(scriptWords).join('; ') ?? null,
  creativeId: ({ play }) => play.native?.creativeId ?? play.creative?.creativeId ?? null,
  assetGroupId: ({ play }) => play.native?.assetGroupId ?? null,
  bundleId: ({ play }) => play.native?.bundleId ?? null,
  revenueModel: ({ play }) => play.native?.revenueModel ?? null,
  guestErrors: ({ play }) => play.guestErrors?.join('; ') ?? null,
} satisfies Readonly<Record<string, (of: ProvenPlay) => string | number | null>>;
type Fields = { [Name in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[Name]> };
const NAMES = Object.keys(FIELDS) as (keyof Fields)[];

export const exportFields = (of: ProvenPlay) =>
  Object.fromEntries(NAMES.map((name) => [name, FIELDS[name](of)])) as Fields;

/** `2 threw (Uncaught …)`: the script's position among the ad's beacons, and its result. */
function scriptWords({ position, result, detail }: StoredScript): string {
  return `${position} ${result}${detail === null ? '' : ` (${addressesPlain(detail)})`}`;
}

/** The header line of an export; none for NDJSON. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? `${NAMES.join(',')}\r\n` : '';
}

/** Plays as lines: RFC 4180 with CRLF, or one JSON object a line. Null is an empty cell. */
export function exportLines(format: ExportFormat, plays: readonly ProvenPlay[]): string {
  const line =
    format === 'csv'
      ? (play: ProvenPlay) => `${NAMES.map((name) => cell(FIELDS[name](play))).join(',')}\r\n`
      : (play: ProvenPlay) => `${JSON.stringify(exportFields(play))}\n`;
  return plays.map(line).join('');
}

/**
 * A cell of RFC 4180. A text that a spreadsheet would take for a formula gets an
 * apostrophe in front, and so does one that begins with an apostrophe: a reader
 * removes one leading apostrophe to get the original text.
 */
export function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}
