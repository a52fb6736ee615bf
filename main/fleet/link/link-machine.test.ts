import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FIRST_SPAN_MS,
  type LinkEvent,
  type LinkState,
  LONGEST_SPAN_MS,
  startLink,
  stepLink,
} from './link-machine';

const world = { brokers: 3, random: () => 0.5 };
const stateAfter = (events: readonly LinkEvent[], from = startLink(world).state): LinkState =>
  events.reduce((state, event) => stepLink(state, event, world).state, from);
const DUE = { type: 'due' } as const;
const failed = (at: 'network' | 'handshake' | 'refused') => ({ type: 'failed', at }) as const;

describe('the link', () => {
  test('tries a random broker after a random wait', () => {
    const { state, effects } = startLink(world);
    expect(state).toMatchObject({ phase: 'waiting', broker: 1, version: 5 });
    expect(effects).toEqual([{ do: 'wait', ms: FIRST_SPAN_MS / 2 }]);
    expect(stepLink(state, DUE, world).effects).toEqual([{ do: 'connect', broker: 1, version: 5 }]);
  });

  test('falls back to MQTT 3.1.1 at once where version 5 is not taken, and then to the next broker', () => {
    const greeted = stepLink(stateAfter([DUE]), failed('handshake'), world);
    expect(greeted.effects).toEqual([{ do: 'connect', broker: 1, version: 4 }]);
    const next = stepLink(greeted.state, failed('handshake'), world);
    expect(next.state).toMatchObject({ phase: 'waiting', broker: 2, version: 5, failures: 1 });
  });

  test.each(['network', 'refused'] as const)('tries no other version after the error %s', (at) => {
    expect(stateAfter([DUE, failed(at)])).toMatchObject({ phase: 'waiting', broker: 2, version: 5 });
  });

  test('reconnects to the same broker with the version that worked', () => {
    const lost = stateAfter([DUE, failed('handshake'), { type: 'connected' }, failed('network')]);
    expect(lost).toMatchObject({ phase: 'waiting', broker: 1, version: 4, failures: 1 });
  });

  test('waits longer after each short connection, and resets the wait after a steady one', () => {
    const flap = [DUE, { type: 'connected' }, failed('network')] as const;
    const flapping = stateAfter([...flap, ...flap, ...flap]);
    expect(flapping).toMatchObject({ failures: 3 });
    expect(stateAfter([DUE, { type: 'connected' }, DUE, failed('network')], flapping)).toMatchObject({
      failures: 1,
    });
  });

  test('stops in every state and stays stopped', () => {
    const events = fc.oneof(
      ...[DUE, { type: 'connected' as const }, failed('network'), failed('handshake')].map((one) =>
        fc.constant(one),
      ),
    );
    fc.assert(
      fc.property(fc.array(events), fc.array(events), (before, later) => {
        const stopped = stateAfter([...before, { type: 'stop' }]);
        expect(stateAfter(later, stopped)).toEqual({ phase: 'stopped' });
      }),
    );
  });
});

test('spreads the reconnects of ten thousand kiosks over the whole span, within the bounds', () => {
  const random = fc.sample(fc.double({ min: 0, max: 0.999_999, noNaN: true }), 1)[0] ?? 0;
  for (const failures of [1, 2, 5, 50]) {
    const span = Math.min(LONGEST_SPAN_MS, FIRST_SPAN_MS * 2 ** (failures - 1));
    const wait = (value: number) => {
      const state: LinkState = { phase: 'connecting', failures: failures - 1, broker: 0, version: 4 };
      const { effects } = stepLink(state, failed('network'), { brokers: 1, random: () => value });
      return effects[0]?.do === 'wait' ? effects[0].ms : Number.NaN;
    };
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let kiosk = 0; kiosk < 10_000; kiosk += 1) {
      const ms = wait((kiosk + random) / 10_000);
      const tenth = Math.floor((ms / span) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths.length, 'none beyond the span').toBe(10);
    expect(Math.max(...tenths)).toBeLessThanOrEqual(1_001);
  }
});
