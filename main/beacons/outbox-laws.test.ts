import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mustNotRepeat, type SendResult } from './delivery-policy';
import { answerInTurn, anyDisturbance, bring, type Disturbance } from './testing/disturbance';
import { accepted, type Life, type OutboxWorld, outboxWorld } from './testing/outbox-world';
import { anySendResult, mayHaveCounted } from './testing/send-results';

/** One step of a script. The numbers have few values, so that steps collide. */
type Happening =
  | { readonly do: 'fire'; readonly play: number; readonly urls: number; readonly host: number }
  | {
      readonly do: 'confirm';
      readonly instance: number;
      readonly kind: number;
      readonly urls: number;
      readonly scripts: number;
    }
  | Disturbance;

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fire' as const),
      play: fc.nat(1),
      urls: fc.integer({ min: 1, max: 2 }),
      host: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('confirm' as const),
      instance: fc.nat(1),
      kind: fc.nat(1),
      urls: fc.integer({ min: 1, max: 3 }),
      scripts: fc.nat(2),
    }),
  },
  ...anyDisturbance([0, 300, 1_500, 10_000, 90_000]),
);

/** `reopen` is retried after a confirmation; it must not count the running script as interrupted. */
const RETRIED_REOPENING: [Happening[], SendResult[], string | null] = [
  [
    { do: 'fault', step: 1, moment: 'before' },
    { do: 'pass', ms: 0 },
    { do: 'fire', play: 0, urls: 1, host: 0 },
    { do: 'reopen' },
    { do: 'fault', step: 2, moment: 'after' },
    { do: 'confirm', instance: 0, kind: 0, urls: 1, scripts: 1 },
  ],
  [],
  null,
];

/** The books fail for more than two seconds, which a confirmation outlasts (rule 16). */
const FAILING_BOOKS: [Happening[], SendResult[], string | null] = [
  [
    { do: 'pass', ms: 0 },
    { do: 'fault', step: 1, moment: 'before' },
    { do: 'confirm', instance: 0, kind: 0, urls: 1, scripts: 1 },
    { do: 'pass', ms: 0 },
    { do: 'fault', step: 1, moment: 'before' },
    { do: 'pass', ms: 1_500 },
    { do: 'fault', step: 1, moment: 'before' },
  ],
  [],
  null,
];

const reason = (sent: SendResult | undefined) => (sent?.kind === 'answered' ? sent.status : sent?.code);

const ENDS = ['ran', 'threw', 'timed-out', 'crashed', 'blocked', 'refused'] as const;

interface Told {
  /** Fired URLs, each with the life that fired it. */
  readonly fired: Array<{ readonly url: string; readonly life: Life }>;
  /** Kinds of instances that were to be confirmed, each with the life that asked for it. */
  readonly asked: Array<{ readonly key: string; readonly life: Life }>;
  /** Confirmations that returned true, each with its URLs. */
  readonly confirmed: Array<{
    readonly key: string;
    readonly urls: readonly string[];
    readonly scripts: readonly string[];
  }>;
}

async function play(
  world: OutboxWorld,
  script: readonly Happening[],
  results: readonly SendResult[],
  eventTimeParam: string | null,
): Promise<Told & { survivor: Life | null; life: Life }> {
  const servers = answerInTurn(world, results);
  world.outcome = async (script) => {
    await world.time.settle();
    return ENDS[Number(script.split('-')[1]) % ENDS.length] ?? 'ran';
  };
  const told: Told = { fired: [], asked: [], confirmed: [] };
  let number = 0;
  const nextUrl = (host: number) => `http://host-${host}.example/${++number}`;
  const start = () => {
    const life = world.live(eventTimeParam);
    void life.outbox.open();
    return life;
  };
  let life = start();
  for (const step of script) {
    if (!life.isAlive()) life = start();
    const current = life;
    switch (step.do) {
      case 'fire': {
        const urls = Array.from({ length: step.urls }, () => nextUrl(step.host));
        for (const url of urls) told.fired.push({ url, life });
        life.outbox.fire(`play-${step.play}`, 'impression', urls);
        break;
      }
      case 'confirm': {
        const urls = Array.from({ length: step.urls }, () => nextUrl(step.instance));
        const instance = `instance-${step.instance}`;
        const kind = `kind-${step.kind}`;
        const key = `${instance} ${kind}`;
        told.asked.push({ key, life });
        const scripts = Array.from({ length: step.scripts }, () => `script-${++number}`);
        const beacons = [
          ...urls.map((url, position) => ({ position, url })),
          ...scripts.map((script, index) => ({ position: urls.length + index, script })),
        ];
        const shown = `shown-${step.instance}-${step.kind}`;
        void current.outbox
          .confirmOnce({ instance, kind, play: shown, beacons })
          .then((isConfirmed) => isConfirmed && told.confirmed.push({ key, urls, scripts }));
        break;
      }
      default: {
        const passing = bring(step, world, life);
        if (passing) await passing;
      }
    }
  }
  // In the end nothing fails any more, and enough time passes for all waiting beacons to be due.
  await world.advance(5_000);
  servers.acceptAll();
  const survivor = life.isAlive() ? life : null;
  life.die();
  await world.quiet();
  life = start();
  await world.advance(3 * 60_000);
  return { ...told, survivor, life };
}

describe('after any events in any order', () => {
  it('no once-only beacon is sent twice, and none is forgotten silently', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 14, size: 'max' }),
        fc.array(anySendResult, { maxLength: 14, size: 'max' }),
        fc.constantFrom(null, 'ets'),
        async (script, results, eventTimeParam) => {
          const world = outboxWorld();
          try {
            const told = await play(world, script, results, eventTimeParam);
            const { fired, asked, confirmed, survivor, life } = told;
            const rows = await world.rows();
            const rowOf = new Map(rows.map((row) => [row.url, row]));
            const sendsOf = (url: string) => world.sent.filter((sent) => sent.url === url);

            for (const { url, state, policy } of rows.filter((row) => row.script === undefined)) {
              const sends = sendsOf(url).map(({ result: each }) => each);
              const counted = sends.map(mayHaveCounted);
              if (mustNotRepeat(policy)) {
                // A try that may have counted must be the last one.
                expect(counted.slice(0, -1)).not.toContain(true);
              } else {
                expect(['sent', 'refused']).toContain(state);
              }
              // The beacon has reached a final state, and that state is true.
              expect(['sent', 'unknown', 'refused']).toContain(state);
              if (state === 'sent') expect(sends).toContain(accepted);
              if (state === 'refused') expect(['fenced', 404]).toContain(reason(sends.at(-1)));
            }
            // No beacon was sent that is not stored.
            for (const { url } of world.sent) expect(rowOf.has(url)).toBe(true);

            // Each fired beacon is stored, unless its process died before the books acknowledged it.
            const asFired = new Set(rows.map(({ url }) => url.replace(/[?].*$/, '')));
            const ids = new Set(rows.map(({ id }) => id));
            for (const { url, life: firedIn } of fired) {
              if (firedIn === survivor) expect(asFired).toContain(url);
              for (const id of firedIn.acknowledged) expect(ids).toContain(id);
            }

            // One confirmation for each kind of each instance, with all its URLs.
            const keys = confirmed.map(({ key }) => key);
            expect(new Set(keys).size).toBe(keys.length);
            for (const { urls } of confirmed) for (const url of urls) expect(rowOf.has(url)).toBe(true);
            // And all that were asked for are confirmed, unless the process died before the books acknowledged it.
            const stored = new Set(rows.map(({ instance, event }) => `${instance} ${event}`));
            for (const { key } of asked.filter((each) => each.life === survivor)) {
              expect(stored).toContain(key);
              // An earlier process may have confirmed it, and died before it was told.
              if (asked.every((each) => each.key !== key || each.life === survivor))
                expect(keys).toContain(key);
            }

            // No script runs twice; its end is stored, with its play too, and is true.
            const runs = world.ran.map(({ script }) => script);
            expect(new Set(runs).size).toBe(runs.length);
            const scriptRows = rows.filter((row) => row.script !== undefined);
            expect(scriptRows.length).toBeGreaterThanOrEqual(runs.length);
            const nobodyDied = script.every((step) => step.do !== 'crash' && step.do !== 'restart');
            const begun = confirmed.flatMap(({ scripts }) => scripts);
            if (nobodyDied) expect([...runs].sort()).toEqual([...begun].sort());
            const endsOf = (list: ReadonlyArray<{ result: string }>) =>
              list.map(({ result }) => result).sort();
            const recorded = endsOf(scriptRows.flatMap(({ script }) => script ?? []));
            expect(recorded).not.toContain('running');
            const known = world.ran.flatMap(({ result }) => (result === null ? [] : [{ result }]));
            for (const end of ENDS) {
              const count = (list: readonly string[]) => list.filter((each) => each === end).length;
              // A process that died may not have stored all that it knew.
              expect(count(recorded)).toBeLessThanOrEqual(count(endsOf(known)));
              if (nobodyDied) expect(count(recorded)).toBe(count(endsOf(known)));
            }
            for (const row of scriptRows) {
              const [summary] = await world.resultsOf([row.playId ?? '']);
              expect(summary?.scripts).toContainEqual({ position: row.position, ...row.script });
            }
            const listed = new Map<string, number[]>();
            for (const { instance, event, position } of rows.filter((row) => row.policy === 'once')) {
              const list = listed.get(`${instance} ${event}`) ?? [];
              listed.set(`${instance} ${event}`, [...list, position]);
            }
            for (const positions of listed.values()) {
              expect(positions.sort()).toEqual(positions.map((_, index) => index));
            }

            // The results of the plays add up to their beacons.
            for (const summary of await world.resultsOf(['play-0', 'play-1'])) {
              const states = rows.filter(({ playId }) => playId === summary.playId).map(({ state }) => state);
              const count = (wanted: string) => states.filter((state) => state === wanted).length;
              expect(summary).toEqual({
                playId: summary.playId,
                sent: count('sent'),
                unknown: count('unknown'),
                failed: count('refused') + count('expired'),
                pending: 0,
              });
            }
            expect(life.outbox.counts().pending).toBe(0);
            const size = await world.database.outboxSize.get('outbox');
            expect([size?.pending ?? 0, size?.ended ?? 0]).toEqual([0, rows.length]);
          } finally {
            await world.end();
          }
        },
      ),
      { numRuns: 100, examples: [RETRIED_REOPENING, FAILING_BOOKS] },
    );
  });
});
