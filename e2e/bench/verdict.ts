import type { Row } from './row';

export type Verdict = 'ok' | 'over' | 'no budget';

/** Over when any budget is exceeded, or cannot be judged because its ratio is missing. */
export function verdictOf(row: Pick<Row, 'value' | 'ratio' | 'budgets'>): Verdict {
  if (row.budgets.length === 0) return 'no budget';
  const within = row.budgets.every(({ of, most }) => {
    const judged = of === 'value' ? row.value : row.ratio;
    return judged !== null && judged <= most;
  });
  return within ? 'ok' : 'over';
}

export const HEADING = line('', 'value', 'baseline', 'ratio', 'budget', '');

/** name, value, baseline, ratio, budget and verdict in columns; further figures after a dash. */
export function lineOf(row: Row): string {
  const amount = (value: number | null) => (value === null ? '–' : `${figure(value)} ${row.unit}`);
  const budget = row.budgets.map(({ of, most }) =>
    of === 'ratio' ? `≤ ${most} ×` : `≤ ${most} ${row.unit}`,
  );
  const details = Object.entries(row.details).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? figure(value) : value}`,
  );
  const verdict = verdictOf(row);
  return (
    line(
      row.name,
      amount(row.value),
      amount(row.baseline),
      row.ratio === null ? '–' : row.ratio.toFixed(2),
      budget.join(', ') || '–',
      verdict === 'over' ? '✗ OVER' : verdict === 'ok' ? '✓ ok' : '',
    ) + (details.length === 0 ? '' : `\n${' '.repeat(4)}${details.join(', ')}`)
  );
}

/** Rounds to three significant digits. */
function figure(value: number): string {
  if (value === 0) return '0';
  const decimals = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return String(Number(value.toFixed(decimals)));
}

function line(name: string, value: string, baseline: string, ratio: string, budget: string, verdict: string) {
  return `${name.padEnd(78)} ${value.padStart(11)} ${baseline.padStart(11)} ${ratio.padStart(6)}  ${budget.padEnd(18)} ${verdict}`.trimEnd();
}
