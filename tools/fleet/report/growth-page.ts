import { powersOfTen } from './axes';
import { escaped, htmlTable } from './html';
import { linePlot } from './plots';

/** The measurements with one number of plays. */
export interface GrowthRow {
  readonly plays: number;
  readonly bytesAPlay: number;
  /** ms; the fastest of three. */
  readonly billing: number;
  readonly capAudit: number;
  readonly completeness: number;
}

const QUESTIONS = [
  ['billing', 'billing'],
  ['capAudit', 'cap audit'],
  ['completeness', 'completeness'],
] as const;

const SECONDS = 1_000;

/** How long each question takes by the number of plays; both axes are logarithmic. */
export function growthPlot(rows: readonly GrowthRow[]): string {
  const lines = QUESTIONS.map(([key, name]) => ({
    name,
    points: rows.map((row) => [row.plays, row[key]] as const),
  }));
  const times = lines.flatMap(({ points }) => points.map(([, ms]) => ms));
  const across = powersOfTen(
    'plays in the table',
    rows.map(({ plays }) => plays),
  );
  const up = powersOfTen('time to the answer', times, (ms) =>
    ms < SECONDS ? `${ms} ms` : `${(ms / SECONDS).toLocaleString('en')} s`,
  );
  return linePlot('time of each question by plays', lines, across, up);
}

/** The figures as one self-contained HTML file. */
export function growthPage(rows: readonly GrowthRow[]): string {
  const columns = [
    ['plays', 'plays'],
    ['bytesAPlay', 'bytes a play on disk'],
    ...QUESTIONS.map(([key, name]) => [key, `${name}, ms`] as const),
  ] as const;
  const counted = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(columns.map(([key]) => [key, count(row[key])])),
  }));
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>How long questions take</title>
<style>body { font: 15px/1.45 system-ui, sans-serif; color: #1c2430; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .25rem 1.4rem .25rem 0; text-align: right; border-bottom: 1px solid #eceff3; }</style>
<h1>How long questions take</h1>
<p>${escaped(METHOD)}</p>
${growthPlot(rows)}
${htmlTable(columns, counted)}</html>
`;
}

/** The figures as a table of `docs/fleet.md`. */
export function growthMarkdown(rows: readonly GrowthRow[]): string {
  const headings = ['plays', ...QUESTIONS.map(([, name]) => name), 'bytes a play on disk'];
  const lines = rows.map((row) => [
    count(row.plays),
    ...QUESTIONS.map(([key]) => `${count(row[key])} ms`),
    count(row.bytesAPlay),
  ]);
  return [headings, headings.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const METHOD = `Each question is asked of one ClickHouse server on this machine, three times; the fastest counts. \
The plays are of one day, 8,640 a kiosk. Of more than 250,000 plays, billing and cap audit ask in slices of the kiosks, \
one after the other, and their time is that of all slices.`;

const count = (value: number) => value.toLocaleString('en');
