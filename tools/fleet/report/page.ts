import { findingLine } from '../verify/findings';
import { fromZero, hours } from './axes';
import { escaped, htmlTable } from './html';
import { liveLinkSection } from './live-link';
import { type Bar, barPlot, linePlot } from './plots';
import type { Answers } from './questions';
import { unlikeBooks } from './wrong-answers';

/** What a report needs besides the answers. */
export interface About {
  /** A line on what was measured. */
  readonly subject: string;
  /** Plays by flight in the kiosks' own books. */
  readonly books: ReadonlyMap<string, number>;
  /** The faults that were caused on purpose, and the kiosk of each. */
  readonly struck: ReadonlyMap<string, string>;
  /** What kiosks told a broker; empty: there was none. */
  readonly live: Parameters<typeof liveLinkSection>[0];
}

/** The report as one self-contained HTML file. */
export function reportPage(answers: Answers, about: About): string {
  const { billing, completeness, overDeliveries, findings, verified } = answers;
  const plays = billing.reduce((sum, row) => sum + Number(row.plays), 0);
  const missing = completeness.reduce((sum, row) => sum + Number(row.missing), 0);
  const errors = findings.filter(({ isError }) => isError).length;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Endcap fleet report</title><style>${STYLE}</style></head><body>
<h1>Fleet report</h1>
<p>${escaped(about.subject)}. From ${escaped(answers.from)} up to ${escaped(answers.to)}.</p>
<div class="figures">
${figure(plays, 'plays', 'plain')}
${figure(missing, 'numbers missing', missing === 0 ? 'good' : 'bad')}
${figure(overDeliveries.length, 'plays over a cap', overDeliveries.length === 0 ? 'good' : 'bad')}
${figure(errors, `errors in ${verified.segments} segments`, errors === 0 ? 'good' : 'bad')}
</div>
${struckSection(about)}
<h2>Billing</h2>
<p>Each play once, by its newest revision. ${booksLine(answers, about)}</p>
${barPlot('plays by flight', billing.map(billingBar))}
${htmlTable(BILLING_COLUMNS, billing)}
<h2>Plays by hour and source</h2>
${hourPlot(answers)}
${barPlot('source mix', answers.mix.map(mixBar))}
<h2>Completeness</h2>
<p>Every number of a kiosk's sequence is there (green), or the kiosk says where it is (yellow), or it is missing (red).</p>
${barPlot(
  'numbers present and missing by kiosk',
  completeness.map((row) => completenessBar(row, answers)),
)}
${answers.missing.length === 0 ? '' : htmlTable(MISSING_COLUMNS, answers.missing)}
<h2>Cap audit</h2>
${capSection(answers)}
<h2>Signatures and chains</h2>
<p>${verified.kiosks} kiosks, ${verified.segments} segments, ${verified.rows} plays checked.</p>
${findings.length === 0 ? '<p>Nothing is wrong.</p>' : `<ul>${findings.map((each) => `<li class="${each.isError ? 'bad' : ''}">${escaped(findingLine(each))}</li>`).join('')}</ul>`}
${liveLinkSection(about.live)}
<h2>Silent kiosks</h2>
${answers.silent.length === 0 ? '<p>No kiosk was silent for an hour at the end.</p>' : htmlTable(SILENT_COLUMNS, answers.silent)}
</body></html>
`;
}

const BILLING_COLUMNS = [
  ['campaign', 'campaign'],
  ['flight', 'flight'],
  ['sourceKey', 'source'],
  ['plays', 'plays'],
  ['shown', 'shown'],
  ['completed', 'completed'],
  ['withinTolerance', 'within 500 ms of plan'],
  ['voided', 'void'],
  ['viewedSeconds', 'seconds viewed'],
  ['kiosks', 'kiosks'],
] as const;

const MISSING_COLUMNS = [
  ['kiosk', 'kiosk'],
  ['epoch', 'epoch'],
  ['missingFirst', 'first'],
  ['missingLast', 'last'],
  ['numbers', 'numbers'],
  ['reason', 'reason'],
] as const;

const CAP_COLUMNS = [
  ['kiosk', 'kiosk'],
  ['flight', 'flight'],
  ['window', 'window'],
  ['limit', 'limit'],
  ['plays', 'plays over it'],
  ['near', 'of these near a clock correction'],
  ['first', 'first of them'],
] as const;

const SILENT_COLUMNS = [
  ['kiosk', 'kiosk'],
  ['lastMade', 'last segment made'],
  ['silentSeconds', 'seconds silent'],
] as const;

function figure(value: number, name: string, kind: string): string {
  return `<div class="figure ${kind}"><b>${value.toLocaleString('en')}</b>${escaped(name)}</div>`;
}

function struckSection({ struck }: About): string {
  if (struck.size === 0) return '';
  const items = [...struck].map(
    ([fault, kiosk]) => `<li><b>${escaped(fault)}</b>: kiosk ${escaped(kiosk)}</li>`,
  );
  return `<h2>Broken on purpose</h2><ul>${items.join('')}</ul>`;
}

function booksLine({ billing }: Answers, { books }: About): string {
  const differ = unlikeBooks(billing, books);
  if (differ.length === 0) return '<b class="good">Equal to the kiosks’ own books, to the play.</b>';
  return `<b class="bad">Unlike the kiosks’ own books: ${escaped(differ.join('; '))}.</b>`;
}

function billingBar(row: Readonly<Record<string, unknown>>): Bar {
  const value = Number(row.plays);
  return {
    name: String(row.flight),
    parts: [{ value, kind: 'plain' }],
    note: `${value.toLocaleString('en')} plays`,
  };
}

function mixBar(row: Readonly<Record<string, unknown>>): Bar {
  const share = Number(row.share);
  return {
    name: String(row.sourceKey ?? 'house'),
    parts: [{ value: Number(row.plays), kind: 'plain' }],
    note: `${(share * 100).toFixed(1)} %`,
  };
}

function completenessBar(row: Readonly<Record<string, unknown>>, { missing }: Answers): Bar {
  const told = missing
    .filter(({ kiosk, epoch, reason }) => kiosk === row.kiosk && epoch === row.epoch && reason !== 'missing')
    .reduce((sum, { numbers }) => sum + Number(numbers), 0);
  const present = Number(row.present);
  const lost = Number(row.missing) - told;
  return {
    name: String(row.kiosk),
    parts: [
      { value: present, kind: 'good' },
      { value: told, kind: 'warned' },
      { value: lost, kind: 'bad' },
    ],
    note: `${(Number(row.complete) * 100).toFixed(2)} %`,
  };
}

function hourPlot({ hours: rows }: Answers): string {
  if (rows.length === 0) return '<p>Nothing was played.</p>';
  const sources = [...new Set(rows.map(({ sourceKey }) => sourceKey))];
  const times = [...new Set(rows.map(({ hourMs }) => Number(hourMs)))].sort((a, b) => a - b);
  const lines = sources.map((source) => {
    const counts = new Map(
      rows.filter(({ sourceKey }) => sourceKey === source).map((row) => [Number(row.hourMs), row.plays]),
    );
    // There is no row for an hour in which a source did not play.
    const points = times.map((ms) => [ms, Number(counts.get(ms) ?? 0)] as const);
    return { name: String(source ?? 'house'), points };
  });
  const plays = lines.flatMap(({ points }) => points.map(([, count]) => count));
  const across = hours('hour that begins then (UTC)', times);
  return linePlot('plays by hour and source', lines, across, fromZero('plays in an hour', plays));
}

function capSection({ overDeliveries }: Answers): string {
  if (overDeliveries.length === 0)
    return '<p>Recounted from the plays alone: no cap was exceeded on any kiosk.</p>';
  const groups = new Map<string, Record<string, unknown>>();
  for (const row of overDeliveries) {
    const name = JSON.stringify([row.kiosk, row.flight, row.capWindow, row.capLimit]);
    const group = groups.get(name);
    const plays = Number(group?.plays ?? 0) + 1;
    groups.set(name, {
      kiosk: row.kiosk,
      flight: row.flight,
      window: row.capWindow,
      limit: row.capLimit,
      plays,
      near: Number(group?.near ?? 0) + Number(row.nearCorrection),
      first: group?.first ?? new Date(Number(row.playMs)).toISOString(),
    });
  }
  return htmlTable(CAP_COLUMNS, [...groups.values()]);
}

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; color: #1c2430; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #dde2e8; }
.figures { display: flex; gap: 1rem; flex-wrap: wrap; }
.figure { border: 1px solid #dde2e8; border-radius: 8px; padding: .6rem 1rem; }
.figure b { display: block; font-size: 1.7rem; }
.figure.good b, b.good { color: #1a7f4b; } .figure.bad b, b.bad, li.bad { color: #b3261e; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 13px; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid #eceff3; white-space: nowrap; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: #1c2430; display: block; margin: .8rem 0; }
svg .name { text-anchor: end; } svg .good { fill: #2e9e63; } svg .warned { fill: #e0a526; } svg .bad { fill: #c8342b; }
svg .plain { fill: #3d6fb6; }
`;
