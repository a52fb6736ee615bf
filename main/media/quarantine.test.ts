import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DrawnFile,
  driverBlamed,
  type HarmCause,
  type Harms,
  harmsAsText,
  MAX_REMEMBERED,
  noHarm,
  QUARANTINE_MS,
  quarantineMs,
  readHarms,
  shownWhole,
  struckForHarm,
  withoutOldStrikes,
} from './quarantine';

const DAY_MS = 86_400_000;
const sha = (n: number) => n.toString(16).padStart(64, '0');
const file = (n: number, guest: string | null = null): DrawnFile => ({
  sha256: sha(n),
  name: `https://cdn.example/${n}`,
  guest,
});
const strike = (harms: Harms, n: number, at: number, cause: HarmCause = 'hang') =>
  struckForHarm(harms, file(n), cause, at);

describe('quarantine (rule 11)', () => {
  it('starts with the second strike and lasts 7 days', () => {
    const once = strike(noHarm, 1, 0);
    expect(quarantineMs(once, sha(1), 0)).toBe(0);
    const twice = strike(once, 1, DAY_MS);
    expect(quarantineMs(twice, sha(1), DAY_MS)).toBe(QUARANTINE_MS);
    expect(quarantineMs(twice, sha(1), 8 * DAY_MS - 1)).toBe(1);
    expect(quarantineMs(twice, sha(1), 8 * DAY_MS)).toBe(0);
  });

  it('is for exact bytes: a changed file is another creative', () => {
    const twice = strike(strike(noHarm, 1, 0), 1, 1);
    expect(quarantineMs(twice, sha(2), 1)).toBe(0);
  });

  it('does not start for a file that was shown to its end in between', () => {
    const cleared = shownWhole(strike(noHarm, 1, 0), sha(1));
    expect(quarantineMs(strike(cleared, 1, 1), sha(1), 1)).toBe(0);
  });

  it('ends for content of the kiosk window once the driver is to blame, never for a guest or a hang', () => {
    const guest = file(3, 'guest://page-1/');
    let harms = strike(strike(noHarm, 1, 0, 'graphics'), 1, 1, 'graphics');
    harms = struckForHarm(struckForHarm(harms, guest, 'graphics', 2), guest, 'graphics', 3);
    harms = driverBlamed(strike(strike(harms, 2, 2), 2, 3));
    expect(quarantineMs(harms, sha(1), 4)).toBe(0);
    expect(quarantineMs(harms, sha(2), 4)).toBeGreaterThan(0);
    expect(quarantineMs(harms, sha(3), 4)).toBeGreaterThan(0);
  });

  it('stores a bounded number of files, and drops files in quarantine last', () => {
    let harms = strike(strike(noHarm, 0, 0), 0, 1);
    for (let n = 1; n <= 3 * MAX_REMEMBERED; n += 1) harms = strike(harms, n, n + 1);
    expect(harms.size).toBe(MAX_REMEMBERED);
    expect(harms.has(sha(0))).toBe(true);
    expect(harms.has(sha(3 * MAX_REMEMBERED))).toBe(true);
    expect(harmsAsText(harms).length).toBeLessThan(200_000);
  });

  it('reads what it stored, and the readable part of a broken file', () => {
    const harms = strike(strike(noHarm, 1, 0), 2, 5);
    expect(readHarms(harmsAsText(harms))).toEqual(harms);
    const [one] = JSON.parse(harmsAsText(harms)) as unknown[];
    expect([...readHarms(JSON.stringify([one, { sha256: 'no' }, 7])).keys()]).toEqual([sha(1)]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readHarms(text).size).toBeLessThanOrEqual(MAX_REMEMBERED);
      }),
    );
  });

  it('never lasts more than 7 days after a check, whatever the clock was before', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.nat(QUARANTINE_MS), (struckAt, now, more) => {
        const struck = strike(strike(noHarm, 1, struckAt), 1, struckAt);
        expect(quarantineMs(struck, sha(1), now)).toBeLessThanOrEqual(QUARANTINE_MS);
        const looked = withoutOldStrikes(struck, now);
        expect(quarantineMs(looked, sha(1), now + more)).toBeLessThanOrEqual(QUARANTINE_MS - more);
        expect(quarantineMs(looked, sha(1), now + QUARANTINE_MS)).toBe(0);
      }),
    );
  });
});

type Step =
  | { readonly do: 'harm' | 'shown'; readonly place: number; readonly after: number }
  | { readonly do: 'change'; readonly place: number; readonly after: number }
  | { readonly do: 'restart'; readonly after: number };

const place = fc.nat(2);
const after = fc.oneof(fc.nat(5_000), fc.nat(9 * DAY_MS));
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('harm' as const), place, after }) },
    fc.record({ do: fc.constant('shown' as const), place, after }),
    fc.record({ do: fc.constant('change' as const), place, after }),
    fc.record({ do: fc.constant('restart' as const), after }),
  ),
  { maxLength: 40, size: 'max' },
);

/**
 * The oracle derives the rule from the whole history: it takes the strikes of these bytes since they were
 * last shown completely, back to the first gap of 7 days. Two strikes make a quarantine of 7 days.
 */
function oracleMs(
  history: ReadonlyArray<readonly ['harm' | 'shown', string, number]>,
  sha256: string,
  now: number,
) {
  let counted = 0;
  let until = now;
  let last = Number.NEGATIVE_INFINITY;
  for (const [what, content, at] of history) {
    if (content !== sha256) continue;
    if (what === 'shown') counted = 0;
    else {
      counted = at - last < QUARANTINE_MS ? counted + 1 : 1;
      last = at;
      until = counted >= 2 ? at + QUARANTINE_MS : now;
    }
  }
  return counted >= 2 ? Math.max(0, until - now) : 0;
}

it('agrees with an oracle over showings, crashes, restarts, changed files and time', () => {
  fc.assert(
    fc.property(steps, (sequence: readonly Step[]) => {
      let harms: Harms = noHarm;
      let now = 1_700_000_000_000;
      let files = 3;
      const at = [0, 1, 2];
      const history: Array<readonly ['harm' | 'shown', string, number]> = [];
      for (const step of sequence) {
        now += step.after;
        if (step.do === 'restart') harms = withoutOldStrikes(readHarms(harmsAsText(harms)), now);
        else if (step.do === 'change') {
          at[step.place] = files;
          files += 1;
        } else {
          const drawn = file(at[step.place] ?? 0);
          if (step.do === 'harm') harms = struckForHarm(harms, drawn, 'hang', now);
          else harms = shownWhole(harms, drawn.sha256);
          history.push([step.do, drawn.sha256, now]);
        }
        for (let n = 0; n < files; n += 1)
          expect(quarantineMs(harms, sha(n), now)).toBe(oracleMs(history, sha(n), now));
      }
    }),
    { numRuns: 300 },
  );
});
