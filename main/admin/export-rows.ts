import type { ExportFormat } from '../../shared/admin';
import type { PlayScript } from '../../shared/beacon';
import { instant } from '../../shared/instant';
import type { ProvenPlay } from '../../shared/proof-of-play';
import { withoutSecrets } from '../status/shown-text';

/** The exported fields of a play, in this order; times are RFC 3339 in UTC, durations ms. */
export function exportFields({ play, beacons, scripts }: ProvenPlay) {
  return {
    id: play.id,
    at: instant(play.at),
    shownAt: play.shownAt === null ? null : instant(play.shownAt),
    outcome: play.outcome,
    endReason: play.endReason,
    viewedMs: play.viewedMs,
    durationMs: play.durationMs,
    presentedFrames: play.presentedFrames,
    droppedFrames: play.droppedFrames,
    stalls: play.stalls,
    delivery: play.delivery,
    adId: play.adId,
    requestId: play.requestId,
    flightId: play.flightId,
    campaignId: play.campaignId,
    source: play.source,
    sourceId: play.sourceId,
    mediaUrl: withoutSecrets(play.mediaUrl),
    environment: play.environment,
    beaconsSent: beacons?.sent ?? null,
    beaconsUnknown: beacons?.unknown ?? null,
    beaconsFailed: beacons?.failed ?? null,
    beaconsPending: beacons?.pending ?? null,
    scripts: scripts?.map(scriptWords).join('; ') ?? null,
    creativeId: play.native?.creativeId ?? null,
    assetGroupId: play.native?.assetGroupId ?? null,
    bundleId: play.native?.bundleId ?? null,
    revenueModel: play.native?.revenueModel ?? null,
    guestErrors: play.guestErrors?.join('; ') ?? null,
  };
}
type Fields = ReturnType<typeof exportFields>;

const COLUMNS: readonly (keyof Fields)[] = [
  'id',
  'at',
  'shownAt',
  'outcome',
  'endReason',
  'viewedMs',
  'durationMs',
  'presentedFrames',
  'droppedFrames',
  'stalls',
  'delivery',
  'adId',
  'requestId',
  'flightId',
  'campaignId',
  'source',
  'sourceId',
  'mediaUrl',
  'environment',
  'beaconsSent',
  'beaconsUnknown',
  'beaconsFailed',
  'beaconsPending',
  'scripts',
  'creativeId',
  'assetGroupId',
  'bundleId',
  'revenueModel',
  'guestErrors',
];

/** `2 threw (Uncaught …)`: the script's position among the ad's beacons, and its result. */
function scriptWords({ position, result, detail }: PlayScript): string {
  return `${position} ${result}${detail === null ? '' : ` (${withoutSecrets(detail)})`}`;
}

/** The header line of an export; none for NDJSON. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? `${COLUMNS.join(',')}\r\n` : '';
}

/** Plays as lines: RFC 4180 with CRLF, or one JSON object a line. Null is an empty cell. */
export function exportLines(format: ExportFormat, plays: readonly ProvenPlay[]): string {
  let lines = '';
  for (const play of plays) {
    const fields = exportFields(play);
    lines +=
      format === 'csv'
        ? `${COLUMNS.map((column) => cell(fields[column])).join(',')}\r\n`
        : `${JSON.stringify(fields)}\n`;
  }
  return lines;
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
