import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock';
import { lengthOf, padded, plainText } from './command-result';
import { type KioskView, nameOf, problemsOf, stateOf } from './fleet-kiosks';

const HEADINGS = ['KIOSK', 'PLACE', 'STATE', 'SINCE', 'HEARD', 'VERSION', 'PROBLEMS'];

/** The kiosks as a table, those that need attention first. Lines are cut to `columns` characters. */
export function kioskTable(
  views: Iterable<KioskView>,
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const sorted = [...views].sort((a, b) => urgency(a) - urgency(b) || compare(keyOf(a), keyOf(b)));
  const rows = [HEADINGS, ...sorted.map((view) => cellsOf(view, now))];
  const widths = HEADINGS.map((_, at) =>
    rows.reduce((most, row) => Math.max(most, lengthOf(row[at] ?? '')), 0),
  );
  return rows.map((row) => {
    const cells = row.map((cell, at) => padded(cell, widths[at] ?? 0));
    return [...cells.join('  ').trimEnd()].slice(0, columns).join('');
  });
}

/** The number of kiosks in each state, in one line. */
export function kioskCounts(views: Iterable<KioskView>): string {
  const counts = new Map<string, number>();
  let all = 0;
  for (const view of views) {
    all += 1;
    counts.set(stateOf(view), (counts.get(stateOf(view)) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a], [b]) => compare(a, b)).map(([state, count]) => `${count} ${state}`);
  return `${all} kiosks${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function cellsOf(view: KioskView, now: number): string[] {
  return [
    ...[view.kiosk, nameOf(view) || '-', stateOf(view)],
    ...[age(view.since, now), age(view.heardAt, now)],
    plainText(view.state?.versions.endcap ?? '-', 40),
    problemsOf(view).join(' ') || '-',
  ];
}

/** How long ago; not negative, although the kiosk's clock may differ from ours. */
function age(at: string | null, now: number): string {
  if (at === null) return '-';
  const ms = Math.max(0, now - Date.parse(at));
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

function urgency(view: KioskView): number {
  if (view.state?.online !== true) return 0;
  return view.state.state === 'attention' || view.state.problems.length > 0 ? 1 : 2;
}

const keyOf = (view: KioskView): string => `${nameOf(view)} ${view.kiosk}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
