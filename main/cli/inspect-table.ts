import { lengthOf, padded, plainText } from './command-result';
import type { InspectedAd, InspectReport } from './inspect-report';

/** Narrowest layout, characters; narrower terminals wrap its lines. */
const NARROWEST = 60;
const INDENT = '    ';
const HEADINGS = ['AD', 'PLAYS', 'LENGTH', 'FLIGHT', 'SOURCE', 'MEDIA'] as const;
/** Columns with names that the service chose: they share the width with the media, each at most this wide. */
const WIDEST_NAME = 28;
const PLAYS_WIDTH = 5;
const LENGTH_WIDTH = 8;
const NARROWEST_MEDIA = 12;
const GAP = '  ';

/** The report as a table for people, `columns` characters wide; every ad is followed by the reason. */
export function inspectTable(report: InspectReport, columns: number): string {
  const width = Math.max(NARROWEST, columns);
  const lines = [...wrapped(summary(report), width, '')];
  if (report.ads.length > 0) lines.push('', ...table(report.ads, width));
  if (report.rejected.length > 0) {
    lines.push('', 'Rejected');
    for (const { id, code, detail } of report.rejected) {
      const name = id === null ? 'an ad without id' : plain(id);
      lines.push(...wrapped(`${name}: ${code}, ${plain(detail)}`, width, INDENT));
    }
  }
  return `${lines.join('\n')}\n`;
}

function summary({ at, ads, rejected }: InspectReport): string {
  if (ads.length === 0 && rejected.length === 0) return `At ${at}: no fill, the response holds no ad.`;
  const eligible = ads.filter((ad) => ad.eligible).length;
  const parts = [`${eligible} of ${ads.length} ${ads.length === 1 ? 'ad' : 'ads'} may play`];
  if (rejected.length > 0) parts.push(`${rejected.length} more rejected`);
  return `At ${at}: ${parts.join(', ')}.`;
}

function table(ads: readonly InspectedAd[], width: number): string[] {
  const rows = ads.map(cells);
  const fixed = PLAYS_WIDTH + LENGTH_WIDTH + NARROWEST_MEDIA + GAP.length * (HEADINGS.length - 1);
  const name = Math.min(WIDEST_NAME, Math.floor((width - fixed) / 3));
  const widths = [name, PLAYS_WIDTH, LENGTH_WIDTH, name, name].map((widest, column) =>
    [HEADINGS, ...rows].reduce(
      (most, row) => Math.max(most, Math.min(widest, lengthOf(row[column] ?? ''))),
      0,
    ),
  );
  widths.push(width - widths.reduce((sum, one) => sum + one + GAP.length, 0));
  const lines = [laidOut(HEADINGS, widths)];
  for (const [index, ad] of ads.entries()) {
    lines.push(laidOut(rows[index] ?? [], widths), ...wrapped(plain(ad.detail), width, INDENT));
    const caps = ad.caps.map(
      ({ window, limit, used }) => `${plain(window) || '(no window)'} ${used}/${limit}`,
    );
    if (caps.length > 0) lines.push(...wrapped(`Caps used: ${caps.join(', ')}.`, width, INDENT));
  }
  return lines;
}

function cells(ad: InspectedAd): string[] {
  return [
    plain(ad.id),
    ad.eligible ? 'yes' : 'no',
    ad.durationMs === null ? '–' : `${ad.durationMs / 1_000} s`,
    plain(ad.flightId ?? '–'),
    plain(ad.sourceId ?? ad.source ?? '–'),
    ad.media === null ? '–' : plain(ad.media.url),
  ];
}

function laidOut(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((text, column) => padded(plainText(text, widths[column]), widths[column] ?? 0))
    .join(GAP)
    .trimEnd();
}

/** Words on lines of at most `width`; a longer word has a line of its own. */
function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && lengthOf(indent) + lengthOf(longer) > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === '' ? lines : [...lines, indent + line];
}

const plain = (text: string): string => plainText(text, Number.POSITIVE_INFINITY);
