import { markdownTable } from '../tables';
import { AT_REST } from './rest-checks';
import type { SiegeReport } from './siege-run';
import { ALWAYS } from './watch';

/** Violations of a siege, with the command that repeats them. A siege that showed no good ad is one too. */
export function siegeViolations({ seed, steps, goodPlays, exitCode }: SiegeReport): string[] {
  const unproven = goodPlays === 0 ? ['no good ad was played, so nothing is proved'] : [];
  return [
    ...unproven,
    ...steps.flatMap(({ number, attack, violations }) =>
      violations.map(
        (words) => `seed ${seed}, step ${number} (--skip ${number - 1} --steps 1), ${attack.name}: ${words}`,
      ),
    ),
    ...(exitCode === 0 ? [] : [`asked to end, the kiosk did not end in order: exit code ${exitCode}`]),
  ];
}

/**
 * The summary as Markdown: what was done, the bounds and the worst values, and each attack.
 *
 * @param words the chosen attacks, as given to the command; empty: all
 */
export function siegeDocument(report: SiegeReport, words: readonly string[] = []): string {
  const { seed, seconds, steps, figures, rests, goodPlays } = report;
  const most = (values: readonly number[]) => Math.max(0, ...values);
  const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const memory = rests.map(({ pssMb }) => pssMb);
  const ended = steps.filter(({ violations }) =>
    violations.some((words) => words.includes('ended by itself')),
  );
  const invariants = [
    ['a good ad begins', `every ${inSeconds(ALWAYS.goodEveryMs)}`, inSeconds(figures.longestWithoutGoodMs)],
    [
      'black, white, torn or unknown pictures',
      `≤ ${inSeconds(ALWAYS.badLookMs)}`,
      inSeconds(figures.longestBadLookMs),
    ],
    ['`/healthz` answers', `within ${inSeconds(ALWAYS.healthWithinMs)}`, inSeconds(figures.slowestHealthMs)],
    ['windows on the display', '1', String(figures.mostWindows)],
    ['the kiosk ends by itself', 'never', `${ended.length} times`],
    [
      'a new ad is shown after an attack',
      `within ${inSeconds(AT_REST.freshWithinMs)}`,
      inSeconds(most(steps.map(({ recoveredMs }) => recoveredMs ?? AT_REST.freshWithinMs))),
    ],
    ['plays over a cap', '0', String(count(report, / where \d+ are allowed/))],
    [
      'processor at rest',
      `≤ ${AT_REST.cores} cores`,
      `${most(rests.map(({ cores }) => cores)).toFixed(2)} cores`,
    ],
    [
      'memory at rest (PSS)',
      `≤ first + ${AT_REST.memoryGrowthMb} MB`,
      `${(memory[0] ?? 0).toFixed(0)} MB at first, ${most(memory).toFixed(0)} MB at most, ${(memory.at(-1) ?? 0).toFixed(0)} MB at last`,
    ],
    [
      'connections at rest',
      `≤ ${AT_REST.openConnections}`,
      String(most(rests.map(({ connections }) => connections))),
    ],
    [
      'data folder',
      `≤ ${AT_REST.dataFolderMb} MB`,
      `${most(rests.map(({ dataFolderMb }) => dataFolderMb)).toFixed(0)} MB`,
    ],
  ];
  const attacks = [...new Set(steps.map(({ attack }) => attack))].map((attack) => {
    const ofIt = steps.filter((step) => step.attack === attack);
    const broke = ofIt.filter(({ violations }) => violations.length > 0).length;
    return [
      attack.name,
      String(attack.row ?? '–'),
      String(ofIt.length),
      broke === 0 ? 'nothing' : `${broke} times`,
    ];
  });
  return [
    `Seed ${seed}: ${steps.length} attacks in ${(seconds / 60).toFixed(0)} minutes, ${goodPlays} good plays completed. To repeat it: \`npm run siege -- --seed ${seed} --minutes ${Math.ceil(seconds / 60)}${words.map((word) => ` '${word}'`).join('')}\`.`,
    markdownTable(['invariant', 'bound', 'worst seen'], invariants),
    markdownTable(
      ['attack', 'row', 'times', 'broke'],
      attacks.sort(([one = ''], [other = '']) => one.localeCompare(other)),
    ),
  ].join('\n\n');
}

const count = ({ steps }: SiegeReport, words: RegExp) =>
  steps.flatMap(({ violations }) => violations).filter((each) => words.test(each)).length;

const BEGIN = '<!-- siege: written by `npm run siege -- --write` -->';
const END = '<!-- /siege -->';

/** The document with this summary between its two marks. Throws when a mark is missing. */
export function withSummary(document: string, summary: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`expected the marks ${BEGIN} and ${END} in the document`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${summary}\n\n${document.slice(end)}`;
}
