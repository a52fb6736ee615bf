import { powersOfTen } from './axes';
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

const count = (value: number) => value.toLocaleString('en');
