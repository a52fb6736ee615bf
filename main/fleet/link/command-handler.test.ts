import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { RecordedAction } from '../../../shared/admin';
import { RecordedAction as RecordedActionSchema } from '../../../shared/admin';
import { silentLog } from '../../../shared/log';
import { AdminError } from '../../admin/answer-calls';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { readPublicKey } from '../signing-key';
import { carryOut } from './carry-out';
import { createCommandHandler } from './command-handler';
import { Reply } from './commands';
import { anOperator } from './testing/operator';
import { addresseesOf } from './topics';

const KIOSK = '00112233aabbccdd';
const operator = anOperator();

/** A kiosk that obeys commands, and what it did. */
function world({ stores = true } = {}) {
  const time = handTurnedTime();
  const replies: Reply[] = [];
  const records: RecordedAction[] = [];
  const acted: string[] = [];
  const told: string[] = [];
  const seen = new Set<string>();
  const state = {
    isDiskFull: false,
    knownBlocks: 0,
    isCovered: false,
    isVisited: false,
    unusable: null as string | null,
    full: null as string | null,
    isTimeTrusted: true,
    timeIsTrusted: Promise.resolve(),
    pictureEnds: true,
    refreshEnds: true,
    announcementBegins: Promise.resolve(),
    isDisplayOn: true,
  };
  const own: readonly string[] = addresseesOf(KIOSK, []);
  const commandHandler = createCommandHandler({
    kiosk: KIOSK,
    clock: time.clock,
    keys: [readPublicKey(operator.publicKey)].filter((key) => key !== null),
    isAddressed: (aud) => own.includes(aud),
    seen: {
      async note({ jti }) {
        if (!stores) throw new Error('the disk is full');
        if (seen.has(jti)) return 'seen-before';
        seen.add(jti);
        return 'new';
      },
    },
    isTimeTrusted: () => state.isTimeTrusted,
    timeIsTrusted: () => state.timeIsTrusted,
    blocks: {
      async take({ version }) {
        if (state.isDiskFull) throw new Error('the disk is full');
        if (version === state.knownBlocks) return 'known';
        return version > 1 ? 'taken' : 'superseded';
      },
    },
    carryOut: carryOut({
      async act(action) {
        acted.push(action.action);
        if (!state.refreshEnds) return new Promise(() => {});
        if (action.action === 'refresh')
          return { result: 'failed', code: 'x', message: 'No network.', advice: 'Look at the cable.' };
        if (action.action === 'restart-kiosk') throw new AdminError('not-here', 'This kiosk may not.');
        return { result: 'done' };
      },
      picture: async (width) =>
        state.pictureEnds ? { jpeg: Uint8Array.of(1, 2), width, height: 9 } : new Promise(() => {}),
      isCovered: () => state.isCovered,
      isVisited: () => state.isVisited,
      isDisplayOn: () => state.isDisplayOn,
      whyRestartFails: async () => state.unusable,
      whyDiskFull: async () => state.full,
      announcement: {
        async begin({ text }, ms) {
          await state.announcementBegins;
          acted.push(`${text} ${ms}`);
        },
        async end() {
          acted.push('end');
        },
      },
      async settings({ settings, jti }) {
        acted.push(`settings ${jti}`);
        return settings === null
          ? { state: 'later' }
          : { state: 'refused', reason: 'invalid', message: 'fleet: Expected another setting.' };
      },
      logLines: async (lines) => Array.from({ length: lines }, () => ({ at: 0, level: 'info', text: 'x' })),
      now: time.clock.now,
      schedule: time.schedule,
    }),
    answer(reply, onSent) {
      replies.push(Reply.parse(reply));
      onSent?.();
    },
    record: (action) => records.push(RecordedActionSchema.parse(action)),
    tell: (command, outcome) => void told.push(`${command} ${outcome}`),
    schedule: time.schedule,
    log: silentLog,
  });
  return {
    time,
    replies,
    records,
    acted,
    told,
    state,
    commandHandler,
    async order(command: object, more: object = {}) {
      const signed = await operator.command('all', command, time.clock.now(), more);
      await commandHandler.command(Buffer.from(signed));
      await time.settle();
      return replies.at(-1);
    },
  };
}

test('a command is accepted, carried out and done, once', async () => {
  const { order, replies, acted, told } = world();
  const jti = randomUUID();
  await order({ name: 'resume' }, { jti });
  expect(replies).toMatchObject([
    { kiosk: KIOSK, to: jti, command: 'resume', state: 'accepted' },
    { to: jti, state: 'done' },
  ]);
  expect(await order({ name: 'resume' }, { jti })).toMatchObject({ state: 'refused', reason: 'seen-before' });
  expect(acted).toEqual(['resume']);
  expect(told).toEqual(['resume done', 'resume seen-before']);
});

test('a command that cannot be carried out is refused with a reason and advice', async () => {
  const { order, state, records, told } = world();
  expect(await order({ name: 'refresh' })).toMatchObject({
    state: 'refused',
    reason: 'failed',
    message: 'No network. Look at the cable.',
  });
  expect(await order({ name: 'restart-kiosk' })).toMatchObject({ state: 'refused', reason: 'not-here' });
  expect(await order({ name: 'settings', settings: { fleet: {} } })).toMatchObject({ reason: 'invalid' });
  state.isCovered = true;
  expect(await order({ name: 'screenshot' })).toMatchObject({ reason: 'not-now' });
  await order({ name: 'volume', volume: 'loud' });
  await order({ name: 'unlocked' });
  expect(records).toMatchObject([
    { action: 'restart-kiosk', outcome: 'failed', who: { kind: 'fleet', key: operator.fingerprint } },
    { action: 'settings', outcome: 'failed' },
    { action: 'screenshot', outcome: 'failed' },
    { action: 'sound', outcome: 'failed' },
    { action: 'fleet-command', outcome: 'failed' },
  ]);
  // Metrics count no name that anybody makes up.
  expect(told.slice(-2)).toEqual(['volume invalid', 'other invalid']);
});

test.each([
  ['restart-player', { state: 'done' }],
  ['restart-kiosk', { state: 'refused', reason: 'not-here' }],
])(
  '%s is refused while the next start could not use the settings, or the disk is full',
  async (name, answer) => {
    const { order, state, acted } = world();
    state.unusable = `The settings in /etc/endcap/config.json cannot be used:\n${'  ads: Expected an object.\n'.repeat(100)}`;
    expect(await order({ name })).toMatchObject({
      state: 'refused',
      reason: 'not-now',
      message: expect.stringMatching(/Correct its settings file first. The settings in .*config.json cannot/),
    });
    state.unusable = null;
    state.full = 'The disk is full.';
    expect(await order({ name })).toMatchObject({ state: 'refused', reason: 'not-now', message: state.full });
    expect(acted).toEqual([]);
    state.full = null;
    expect(await order({ name })).toMatchObject(answer);
    expect(acted).toEqual([name]);
  },
);

test('a screenshot is refused while the overlay is open or a shopper uses a page behind an ad', async () => {
  const { order, state } = world();
  state.isVisited = true;
  expect(await order({ name: 'screenshot' })).toMatchObject({
    reason: 'not-now',
    message: expect.stringContaining('shopper'),
  });
  state.isVisited = false;
  expect(await order({ name: 'screenshot' })).toMatchObject({ state: 'done' });
  state.isCovered = true;
  expect(await order({ name: 'screenshot' })).toMatchObject({
    reason: 'not-now',
    message: expect.stringContaining('overlay'),
  });
});

test('a screenshot that never ends is refused after ten seconds, and the next command is carried out', async () => {
  const { order, state, replies, acted, time } = world();
  state.pictureEnds = false;
  expect(await order({ name: 'screenshot' })).toMatchObject({ state: 'accepted' });
  await order({ name: 'resume' });
  await time.advance(10_000);
  expect(replies.slice(2)).toMatchObject([
    {
      command: 'screenshot',
      state: 'refused',
      reason: 'failed',
      message: 'The window gave no picture within 10 s. Try again, or restart the player.',
    },
    { command: 'resume', state: 'done' },
  ]);
  expect(acted).toEqual(['resume']);
});

test('announcements are carried out in their order, while other commands wait for one that hangs', async () => {
  const { order, state, acted, time } = world();
  state.refreshEnds = false;
  await order({ name: 'refresh' });
  let begin = () => {};
  state.announcementBegins = new Promise((resolve) => {
    begin = resolve;
  });
  expect(await order({ name: 'announce', text: 'Leave' })).toMatchObject({ state: 'accepted' });
  expect(await order({ name: 'announce', text: null })).toMatchObject({ state: 'accepted' });
  begin();
  await time.settle();
  for (let sent = 1; sent < 50; sent += 1) {
    await time.advance(100);
    expect(await order({ name: 'resume' })).toMatchObject({ state: 'accepted' });
  }
  expect(await order({ name: 'resume' })).toMatchObject({ state: 'refused', reason: 'too-many' });
  expect(await order({ name: 'announce', text: 'Again' })).toMatchObject({ state: 'done' });
  expect(acted).toEqual(['refresh', 'Leave 86400000', 'end', 'Again 86400000']);
});

test('an announcement that fails is refused with the reason, and the next one is shown', async () => {
  const { order, state, acted } = world();
  const failed = Promise.reject(new Error('the disk is full'));
  failed.catch(() => {});
  state.announcementBegins = failed;
  expect(await order({ name: 'announce', text: 'Leave' })).toMatchObject({
    state: 'refused',
    reason: 'failed',
    message: 'the disk is full',
  });
  state.announcementBegins = Promise.resolve();
  expect(await order({ name: 'announce', text: 'Leave' })).toMatchObject({ state: 'done' });
  expect(acted).toEqual(['Leave 86400000']);
});

test('commands that are carried out make place for others', async () => {
  const { order, time } = world();
  for (let sent = 0; sent < 60; sent += 1) {
    expect(await order({ name: 'resume' })).toMatchObject({ state: 'done' });
    await time.advance(100);
  }
});

test('screenshot and log return results, and announce checks its end time', async () => {
  const { order, acted, records, time } = world();
  expect((await order({ name: 'screenshot', width: 64 }))?.result).toMatchObject({ width: 64, data: 'AQI=' });
  expect((await order({ name: 'log', lines: 3 }))?.result?.lines).toHaveLength(3);
  const at = (ms: number) => new Date(time.clock.now() + ms).toISOString();
  expect(await order({ name: 'announce', text: 'Hello', until: at(60_000) })).toMatchObject({
    state: 'done',
  });
  expect(await order({ name: 'announce', text: 'Day', until: null })).toMatchObject({ state: 'done' });
  expect(await order({ name: 'announce', text: null })).toMatchObject({ state: 'done' });
  // The operator's clock may be five minutes ahead, as with `iat`.
  expect(await order({ name: 'announce', text: 'Ahead', until: at(86_700_000) })).toMatchObject({
    state: 'done',
  });
  expect(acted).toEqual(['Hello 60000', 'Day 86400000', 'end', 'Ahead 86700000']);
  const announced = records.filter(({ action }) => action === 'announce').map(({ detail }) => detail);
  expect(announced).toEqual(['Hello', 'Day', null, 'Ahead'].map((text) => text && { kind: 'text', text }));
  for (const until of [at(-1), at(0), at(86_700_001)]) {
    expect(await order({ name: 'announce', text: 'No', until })).toMatchObject({ reason: 'invalid' });
  }
});

test('an announcement that nobody sees because the display is off says so', async () => {
  const { order, state } = world();
  state.isDisplayOn = false;
  expect(await order({ name: 'announce', text: 'Leave' })).toMatchObject({
    state: 'done',
    message: expect.stringContaining('The display is off'),
  });
  expect(await order({ name: 'announce', text: null })).not.toHaveProperty('message');
  state.isDisplayOn = true;
  expect(await order({ name: 'announce', text: 'Leave' })).not.toHaveProperty('message');
});

test('a long command is answered and recorded at its end, and others are carried out meanwhile', async () => {
  const { order, commandHandler, replies, records, acted } = world();
  const jti = randomUUID();
  expect(await order({ name: 'settings', settings: null }, { jti })).toMatchObject({ state: 'accepted' });
  expect(await order({ name: 'resume' })).toMatchObject({ command: 'resume', state: 'done' });
  expect(acted).toEqual([`settings ${jti}`, 'resume']);
  const ended = { jti, name: 'settings' as const, by: operator.fingerprint };
  let isSent = false;
  commandHandler.finish({ ...ended, outcome: { state: 'done' } }, () => (isSent = true));
  expect(replies.at(-1)).toMatchObject({ to: jti, command: 'settings', state: 'done' });
  expect(isSent).toBe(true);
  expect(records).toMatchObject([
    { action: 'settings', outcome: 'done', who: { key: operator.fingerprint } },
  ]);
  commandHandler.finish({
    ...ended,
    outcome: { state: 'refused', reason: 'failed', message: 'It did not play.', recorded: true },
  });
  expect(replies.at(-1)).toMatchObject({ to: jti, state: 'refused', message: 'It did not play.' });
  expect(records).toHaveLength(1);
});

test.each([
  ['over', -60, 60, 'expired'],
  ['of tomorrow', 86_400, 100, 'not-yet-valid'],
])('a command that is %s is refused at once', async (_name, fromNow, lasts, reason) => {
  const { order, replies, acted, time } = world();
  const iat = Math.floor(time.clock.now() / 1_000) + fromNow;
  await order({ name: 'resume' }, { iat, exp: iat + lasts });
  expect([replies, acted]).toMatchObject([[{ command: 'resume', state: 'refused', reason }], []]);
});

test("the sender's clock may be five minutes ahead", async () => {
  const { order, time } = world();
  const iat = Math.floor(time.clock.now() / 1_000) + 299;
  expect(await order({ name: 'resume' }, { iat, exp: iat + 60 })).toMatchObject({ state: 'done' });
});

test('a command waits for trusted time, and is refused if it expired meanwhile', async () => {
  const { order, commandHandler, replies, acted, state, time } = world();
  for (const passes of [3_599_000, 3_600_000]) {
    let trust = () => {};
    state.timeIsTrusted = new Promise((resolve) => {
      trust = resolve;
    });
    expect(await order({ name: 'resume' })).toMatchObject({ state: 'accepted' });
    expect(acted).toEqual(passes < 3_600_000 ? [] : ['resume']);
    // Blocks do not wait.
    await commandHandler.blocks(Buffer.from(await operator.blocks('all', 2, [])));
    expect(replies.at(-1)).toMatchObject({ command: 'blocks', state: 'done' });
    await time.advance(passes);
    trust();
    await time.settle();
  }
  expect(acted).toEqual(['resume']);
  expect(replies.at(-1)).toMatchObject({ command: 'resume', state: 'refused', reason: 'expired' });
});

test.each([
  ['ahead', -30 * 86_400_000],
  ['behind', 30 * 86_400_000],
])('a clock that is far %s does not refuse a command before the time is trusted', async (_where, by) => {
  const { commandHandler, replies, acted, state, time } = world();
  const sends = async (at: number) =>
    commandHandler.command(Buffer.from(await operator.command('all', { name: 'resume' }, at)));
  let trust = () => {};
  state.timeIsTrusted = new Promise((resolve) => {
    trust = resolve;
  });
  state.isTimeTrusted = false;
  const right = time.clock.now() + by;
  await sends(right);
  await sends(time.clock.now());
  expect(replies.map(({ state }) => state)).toEqual(['accepted', 'accepted']);
  Object.assign(time.clock, { now: () => right });
  trust();
  await time.settle();
  expect(acted).toEqual(['resume']);
  expect(replies.slice(2)).toMatchObject([
    { state: 'done' },
    { state: 'refused', reason: by < 0 ? 'not-yet-valid' : 'expired' },
  ]);
});

test('a command that cannot be stored is not carried out', async () => {
  const { order, acted } = world({ stores: false });
  expect(await order({ name: 'resume' })).toMatchObject({ state: 'refused', reason: 'failed' });
  expect(acted).toEqual([]);
});

test('a flood is answered and recorded in part; blocks work at once, and commands after a second', async () => {
  const { commandHandler, order, replies, records, time } = world();
  const garbage = Buffer.from(await anOperator().command('all', { name: 'resume' }, time.clock.now()));
  for (let sent = 0; sent < 1_000; sent += 1) await commandHandler.command(garbage);
  expect(replies.length).toBeLessThanOrEqual(50);
  expect(new Set(replies.map(({ reason }) => reason))).toEqual(new Set(['unknown-key', 'too-many']));
  expect(records.length).toBeLessThanOrEqual(5);
  expect(records[0]).toMatchObject({ action: 'fleet-command', who: { key: 'unknown' } });
  await commandHandler.blocks(Buffer.from(await operator.blocks('all', 2, [])));
  expect(replies.at(-1)).toMatchObject({ to: 'blocks:2', state: 'done' });
  await time.advance(1_000);
  expect(await order({ name: 'resume' })).toMatchObject({ state: 'done' });
});

test('each of many lists of blocks that come at once is taken, also the newest', async () => {
  const { commandHandler, replies } = world();
  for (let version = 2; version <= 101; version += 1) {
    const document = Buffer.from(await operator.blocks('all', version, []));
    expect(await commandHandler.blocks(document)).toBeNull();
  }
  expect(replies.at(-1)).toMatchObject({ to: 'blocks:101', state: 'done' });
});

test('a flood of lists that nobody signed holds up no command', async () => {
  const { commandHandler, order, replies, time } = world();
  const garbage = Buffer.from(await anOperator().blocks('all', 2, []));
  for (let sent = 0; sent < 1_000; sent += 1) await commandHandler.blocks(garbage);
  expect(replies.length).toBeLessThanOrEqual(50);
  await time.advance(1_000);
  expect(await order({ name: 'resume' })).toMatchObject({ state: 'done' });
});

test('a flood of garbage keeps no refusal of a signed command out of the record, and old commands fill it slowly', async () => {
  const { commandHandler, order, records, time } = world();
  const garbage = Buffer.from(await anOperator().command('all', { name: 'resume' }, time.clock.now()));
  for (let sent = 0; sent < 20; sent += 1) await commandHandler.command(garbage);
  const iat = Math.floor(time.clock.now() / 1_000) - 60;
  await order({ name: 'resume' }, { iat, exp: iat + 30 });
  expect(records.at(-1)).toMatchObject({
    action: 'resume',
    detail: { kind: 'failed', code: 'expired' },
    who: { kind: 'fleet', key: operator.fingerprint },
  });
  for (let minute = 0; minute < 10; minute += 1) {
    for (let sent = 0; sent < 20; sent += 1) await order({ name: 'resume' }, { iat, exp: iat + 30 });
    await time.advance(60_000);
  }
  expect(records.length).toBeLessThanOrEqual(5 + 50 + 60);
});

test('blocks that cannot be stored are taken again each minute, which is told once: the broker does not send them again', async () => {
  const { commandHandler, replies, records, told, state, time } = world();
  state.isDiskFull = true;
  const document = Buffer.from(await operator.blocks('all', 2, []));
  for (let sent = 0; sent < 2; sent += 1) await commandHandler.blocks(document);
  expect(replies.at(-1)).toMatchObject({ to: 'blocks:2', reason: 'failed' });
  await time.advance(600_000);
  expect([replies.length, records.length]).toEqual([2, 2]);
  state.isDiskFull = false;
  await time.advance(60_000);
  expect(replies.at(-1)).toMatchObject({ to: 'blocks:2', state: 'done' });
  const detail = { kind: 'text', text: 'all, version 2: 0' };
  expect(records.at(-1)).toMatchObject({ action: 'blocks', outcome: 'done', detail });
  expect(told).toEqual(['blocks failed', 'blocks failed', 'blocks done']);
  expect(time.waits()).toEqual([]);
});

test('blocks that a broker sends again are neither answered nor recorded', async () => {
  const { commandHandler, replies, records, state } = world();
  state.knownBlocks = 2;
  await commandHandler.blocks(Buffer.from(await operator.blocks('all', 2, [])));
  expect([replies, records]).toEqual([[], []]);
});

test('a cleared topic gets no answer, and older blocks are superseded', async () => {
  const { commandHandler, replies } = world();
  await commandHandler.command(Buffer.alloc(0));
  await commandHandler.blocks(Buffer.alloc(0));
  expect(replies).toEqual([]);
  await commandHandler.blocks(Buffer.from(await operator.blocks('all', 1, [])));
  expect(replies).toMatchObject([{ to: 'blocks:1', state: 'refused', reason: 'superseded' }]);
});
