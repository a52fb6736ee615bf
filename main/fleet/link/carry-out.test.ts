import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AdminAction } from '../../../shared/admin';
import { Announcement } from '../../../shared/stage';
import { timers } from '../../schedule';
import { type CarryOutParts, carryOut } from './carry-out';
import { Command } from './commands';

/** A kiosk that carries out commands of a key. */
function kiosk(change: Partial<CarryOutParts> = {}) {
  const acted: Array<readonly [AdminAction, string]> = [];
  const carry = carryOut({
    async act(action, by) {
      acted.push([action, by]);
      return { result: 'done' };
    },
    picture: async (width) => ({ jpeg: Uint8Array.of(1), width, height: 9 }),
    isCovered: () => false,
    isVisited: () => false,
    isDisplayOn: () => true,
    whyRestartFails: async () => null,
    whyDiskFull: async () => null,
    announcement: { async begin() {}, async end() {} },
    settings: async () => ({ state: 'later' }),
    logLines: async () => [],
    now: () => 0,
    schedule: timers,
    ...change,
  });
  const order = (command: Command) => carry(command, 'key', { jti: 'command-1', iat: 0, aud: 'all' });
  return { acted, order };
}

test.each<[Command, AdminAction]>([
  [{ name: 'refresh' }, { action: 'refresh' }],
  [
    { name: 'pause', minutes: 15 },
    { action: 'pause', minutes: 15 },
  ],
  [
    { name: 'volume', volume: 0.4 },
    { action: 'sound', volume: 0.4 },
  ],
  [
    { name: 'volume', volume: null },
    { action: 'sound', volume: null },
  ],
  [
    { name: 'display', on: false },
    { action: 'display', on: false },
  ],
  [
    { name: 'display', on: null },
    { action: 'display', on: null },
  ],
  [{ name: 'restart-player' }, { action: 'restart-player' }],
])('the command %j is the action %j of its key, which records itself', async (command, action) => {
  const { acted, order } = kiosk();
  expect(await order(command)).toEqual({ state: 'done', recorded: true });
  expect(acted).toEqual([[action, 'key']]);
});

const anyLanguage = fc
  .array(fc.stringMatching(/^[A-Za-z0-9]{2,8}$/), { maxLength: 20, size: 'max' })
  .map((subtags) => ['de', ...subtags].join('-'));
/** Commands whose values go to the stage or to an action, within the bounds of their schema and beyond. */
const maybeCommand = fc.oneof(
  fc.record({
    name: fc.constant('announce'),
    text: fc.option(fc.string({ maxLength: 510, size: 'max', unit: 'binary' })),
    severity: fc.constantFrom('information', 'warning', 'emergency', 'fatal'),
    language: anyLanguage,
  }),
  fc.record({ name: fc.constant('pause'), minutes: fc.integer({ min: -1, max: 1_000 }) }),
  fc.record({ name: fc.constant('volume'), volume: fc.option(fc.double({ min: -0.1, max: 1.1 })) }),
  fc.record({ name: fc.constant('display'), on: fc.option(fc.boolean()) }),
);

test('whatever the schema of commands takes, the stage and the actions take', async () => {
  await fc.assert(
    fc.asyncProperty(maybeCommand, async (sent) => {
      const { data: command } = Command.safeParse(sent);
      fc.pre(command !== undefined);
      const announced: unknown[] = [];
      const announcement = {
        begin: async (shown: unknown) => void announced.push(shown),
        async end() {},
      };
      const { acted, order } = kiosk({ announcement });
      await order(command);
      for (const shown of announced) expect(Announcement.safeParse(shown).error).toBeUndefined();
      for (const [action] of acted) expect(AdminAction.safeParse(action).error).toBeUndefined();
    }),
  );
});

test('an action that fails by a bug is no action that this kiosk lacks', async () => {
  const { order } = kiosk({ act: () => Promise.reject(new Error('a bug')) });
  await expect(order({ name: 'refresh' })).rejects.toThrow('a bug');
});

test.each(['isCovered', 'isVisited'] as const)(
  'no screenshot is returned if it may show the overlay or what a shopper types (%s becomes true meanwhile)',
  async (name) => {
    let isSo = false;
    const { order } = kiosk({
      [name]: () => isSo,
      async picture(width) {
        isSo = true;
        return { jpeg: Uint8Array.of(1), width, height: 9 };
      },
    });
    expect(await order({ name: 'screenshot', width: 64 })).toMatchObject({ reason: 'not-now' });
  },
);

test('a long log is cut to its last lines, in their order', async () => {
  const text = 'x'.repeat(1_000);
  const { order } = kiosk({
    logLines: async (count) =>
      Array.from({ length: count }, (_, n) => ({ at: null, level: 'info', text: `${n} ${text}` })),
  });
  const outcome = await order({ name: 'log', lines: 300 });
  const lines = (outcome.state === 'done' && outcome.result?.lines) || [];
  expect(lines.join('').length).toBeLessThanOrEqual(150_000);
  const first = 300 - lines.length;
  expect(lines.length).toBeGreaterThan(140);
  expect(lines.map((line) => Number(line.trim().split(' ')[1]))).toEqual(lines.map((_, n) => first + n));
});
