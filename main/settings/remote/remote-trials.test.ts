import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { remoteWorld } from './testing/remote-world';

const BROKEN = 13;
const BAD_SOURCE = 'bad';
const MINUTE = 60_000;
const LIVE = { ads: { sourceWeights: { a: 1 } } };
const RESTART = { ads: { refreshSeconds: 77 } };
const STOPS = { ads: { refreshSeconds: BROKEN, sourceWeights: { a: 1 } } };

let world: ReturnType<typeof remoteWorld>;
beforeEach(async () => {
  world = remoteWorld(
    ({ refreshSeconds, sourceWeights }) => refreshSeconds === BROKEN || BAD_SOURCE in sourceWeights,
  );
  await world.restart();
});
afterEach(() => world.dispose());

test('settings that need no restart are in force at once, and kept when the next slot is drawn', async () => {
  expect(await world.send(LIVE, 10, 'one')).toEqual({ state: 'later' });
  expect(world.inForce().weights).toEqual({ a: 1 });
  expect(world.standing().inForce).toMatchObject({
    by: world.operator.fingerprint,
    settings: ['ads.sourceWeights'],
    onTrial: true,
  });
  world.draw();
  await world.follow();
  expect(world.replies.get('one')).toBe('done');
  await world.restart();
  expect(world.inForce().weights).toEqual({ a: 1 });
  expect(world.standing().inForce?.onTrial).toBe(false);
});

test('settings that stop playback are reverted within a minute, and the reply says why', async () => {
  await world.send(RESTART, 10, 'good');
  await world.send(STOPS, 11, 'bad');
  expect(world.inForce()).toMatchObject({ refreshSeconds: BROKEN, weights: { a: 1 } });
  await world.pass(MINUTE - 1);
  expect(world.inForce().refreshSeconds).toBe(BROKEN);
  await world.pass(1);
  expect(world.inForce()).toMatchObject({ refreshSeconds: 77, weights: {} });
  expect(world.replies.get('bad')).toMatch(/did not play with the new settings in time/);
  expect(world.standing().takenBack).toMatchObject({ by: world.operator.fingerprint });
  expect(world.recorded).toEqual(['good', 'bad']);
  const { fingerprint } = world.operator;
  expect(world.restarts()).toEqual([fingerprint, fingerprint, fingerprint]);
});

test('if a run ends during a trial, the previous settings are restored', async () => {
  await world.send(STOPS, 10, 'one');
  await world.restart();
  expect(world.inForce().refreshSeconds).toBe(300);
  expect(world.replies.get('one')).toMatch(/stopped before it played/);
  await world.send(LIVE, 11, 'two');
  await world.restart();
  expect(world.inForce().weights).toEqual({});
});

test('a result that could not be sent is sent later, and the action record has it once', async () => {
  world.offline(true);
  await world.send(STOPS, 10, 'one');
  await world.pass(MINUTE);
  world.replies.clear();
  await world.restart();
  expect(world.replies.get('one')).toMatch(/did not play/);
  world.replies.clear();
  world.offline(false);
  await world.restart();
  expect(world.replies.has('one')).toBe(true);
  world.replies.clear();
  await world.restart();
  expect(world.replies.has('one')).toBe(false);
  world.offline(true);
  for (const jti of ['two', 'three']) {
    await world.send(STOPS, 11, jti);
    await world.restart();
  }
  await world.restart();
  expect(world.recorded).toEqual(['one', 'two', 'three']);
});

test('settings that are kept while no broker is there stay in force, and the last answers are sent later', async () => {
  world.offline(true);
  for (let number = 1; number <= 21; number += 1) {
    await world.send({ ads: { sourceWeights: { a: number } } }, number, `jti-${number}`);
    world.draw();
    await world.follow();
  }
  world.replies.clear();
  await world.restart();
  expect(world.inForce().weights).toEqual({ a: 21 });
  expect([world.replies.size, world.replies.get('jti-2'), world.replies.get('jti-21')]).toEqual([
    ...[20, 'done', 'done'],
  ]);
});

test('a trial that failed is answered as one, also where an older version stored its end without a reason', async () => {
  world.offline(true);
  await world.send(STOPS, 10, 'one');
  await world.pass(MINUTE);
  expect(world.reasons.get('one')).toBe('failed');
  const [ending] = world.kept().unanswered;
  expect(Object.keys(ending ?? {})).toEqual(['jti', 'by', 'error', 'isRecorded']);
  world.reasons.clear();
  await world.restart();
  expect(world.reasons.get('one')).toBe('failed');
});

describe('what counts as playing', () => {
  test('no ad has to play while the store is closed', async () => {
    world.holdFor('closed');
    await world.send(STOPS, 10, 'one');
    await world.pass(MINUTE);
    expect(world.replies.get('one')).toBe('done');
  });

  test.each(['overlay', 'link-view'])(
    'a short hold (%s) at the end of the minute proves nothing, and the trial waits for the next look',
    async (hold) => {
      await world.send(STOPS, 10, 'one');
      await world.pass(55_000);
      world.holdFor(hold);
      await world.pass(5_000);
      expect(world.replies.has('one')).toBe(false);
      world.holdFor(null);
      await world.pass(MINUTE);
      expect(world.replies.get('one')).toMatch(/did not play/);
      expect(world.inForce().refreshSeconds).toBe(300);
    },
  );

  test.each([
    ['an ad has to play', 'link-view', STOPS, /did not play/],
    ['an ad has to play', 'overlay', { ads: { sourceWeights: { [BAD_SOURCE]: 1 } } }, /did not play/],
    ['good settings are kept', 'overlay', LIVE, 'done'],
  ])(
    'after a short hold in which they came, %s if one was on the screen before (%s)',
    async (_what, hold, settings, reply) => {
      world.holdFor(hold);
      await world.send(settings, 10, 'one');
      world.holdFor(null);
      world.draw();
      await world.pass(MINUTE);
      expect(world.replies.get('one')).toMatch(reply);
    },
  );

  test('an ad has to play, too, after a hold that began before anything was ready to try settings', async () => {
    world.holdFor('overlay');
    await world.restart(true);
    await world.send(STOPS, 10, 'one');
    world.holdFor(null);
    world.draw();
    await world.pass(MINUTE);
    expect(world.replies.get('one')).toMatch(/did not play/);
  });

  test('after a hold in which they came, the card that stays is not taken for a running slot', async () => {
    world.holdFor('overlay');
    await world.send({ ads: { sourceWeights: { [BAD_SOURCE]: 1 } } }, 10, 'one');
    world.holdFor(null);
    await world.pass(MINUTE);
    expect(world.replies.get('one')).toMatch(/did not play/);
  });

  test('after a hold the next ad has a minute to come, whenever the hold ends', async () => {
    world.holdFor('overlay');
    await world.send(LIVE, 10, 'one');
    await world.pass(MINUTE - 1);
    world.holdFor(null);
    await world.pass(MINUTE - 1);
    expect(world.replies.has('one')).toBe(false);
    world.draw();
    await world.follow();
    expect(world.replies.get('one')).toBe('done');
  });

  test('holds that follow one another prolong a trial to a quarter of an hour at most', async () => {
    await world.send(STOPS, 10, 'one');
    for (let minutes = 0; minutes < 15; minutes += 1) {
      expect(world.replies.has('one')).toBe(false);
      world.holdFor('link-view');
      await world.pass(MINUTE / 2);
      world.holdFor(null);
      await world.pass(MINUTE / 2);
    }
    expect(world.replies.get('one')).toMatch(/did not play/);
  });

  test('a hold that does not end prolongs a trial no longer than that', async () => {
    await world.send(STOPS, 10, 'one');
    world.holdFor('overlay');
    await world.pass(15 * MINUTE - 1);
    expect(world.replies.has('one')).toBe(false);
    await world.pass(1);
    expect(world.replies.get('one')).toMatch(/did not play/);
  });

  test('the brand card is enough where no ad was on the screen before', async () => {
    world.drawCard();
    await world.send(STOPS, 10, 'one');
    expect(world.replies.get('one')).toBe('done');
  });

  test('a slot from before the change proves nothing, and the trial waits for the next one', async () => {
    await world.send(LIVE, 10, 'one');
    await world.pass(9 * MINUTE);
    expect(world.replies.has('one')).toBe(false);
    world.draw();
    await world.follow();
    expect(world.replies.get('one')).toBe('done');
  });

  test('a card instead of an ad reverts live settings, with a restart', async () => {
    await world.send(LIVE, 10, 'one');
    world.drawCard();
    await world.pass(MINUTE);
    expect(world.replies.get('one')).toMatch(/did not play/);
    expect(world.inForce().weights).toEqual({});
    expect(world.restarts()).toEqual([world.operator.fingerprint]);
  });
});

test('null removes the remote settings; a document that changes nothing is done at once', async () => {
  expect(await world.send(null, 5, 'none')).toEqual({ state: 'done' });
  await world.send(RESTART, 10, 'one');
  expect(await world.send({ ...RESTART }, 11, 'again')).toEqual({ state: 'done' });
  await world.send(null, 12, 'back');
  expect(world.inForce().refreshSeconds).toBe(300);
  expect(world.replies.get('back')).toBe('done');
  expect(world.standing().inForce).toBeNull();
});

test('an older document, also during a trial, and an invalid document are refused', async () => {
  await world.send(LIVE, 10, 'one');
  expect(await world.send(RESTART, 9, 'older')).toMatchObject({ reason: 'superseded' });
  expect(await world.send({ ads: { refreshSeconds: 0 } }, 11, 'invalid')).toMatchObject({
    reason: 'invalid',
  });
  world.draw();
  await world.follow();
  expect(world.replies.get('one')).toBe('done');
  expect(await world.send(RESTART, 9, 'older still')).toMatchObject({ reason: 'superseded' });
  const refused = await world.send(
    { ads: { refreshSeconds: 0, sourceWeights: { a: -1 } }, fleet: { groups: [] }, proof: { maxRows: 'x' } },
    ...([12, 'wrong'] as const),
  );
  expect(refused).toMatchObject({ state: 'refused', reason: 'invalid' });
  const { message } = refused as { message: string };
  for (const path of ['ads.refreshSeconds', 'ads.sourceWeights.a', 'fleet.groups', 'proof.maxRows'])
    expect(message).toContain(`${path}: Expected`);
});

test.each([
  ['playback.openHours', { playback: { restartAt: '04:00', openHours: { timeZone: 'Europe/Berlin' } } }],
  ['display.power', { display: { power: { timeZone: 'Europe/Berlin' } } }],
])('%s without a day would close the kiosk for good, and is refused', async (path, document) => {
  expect(await world.send(document, 10, 'one')).toEqual({
    state: 'refused',
    reason: 'invalid',
    message: `${path}: Expected at least one day such as "mon-sat": "07:00-21:00".`,
  });
  expect(world.standing().inForce).toBeNull();
});

test('hours without a day in the file do not keep other settings from being changed, nor hours with days', async () => {
  const never = { timeZone: 'Europe/Berlin' };
  world.file({ playback: { openHours: never }, display: { power: never } });
  expect(await world.send(LIVE, 10, 'one')).toEqual({ state: 'later' });
  world.draw();
  await world.follow();
  const openHours = { ...never, 'mon-sat': '07:00-21:00' };
  expect(await world.send({ playback: { openHours } }, 11, 'two')).toEqual({ state: 'later' });
});

describe('newer settings that come before the end of a trial', () => {
  const OVERTAKEN = 'Newer settings took their place.';

  test.each([
    ['live settings', LIVE, { a: 1 }, 300],
    ['settings that need a restart', RESTART, {}, 77],
    ['the file alone', null, {}, 300],
  ])('are tried in its place: %s', async (_what, settings, weights, refreshSeconds) => {
    await world.send({ ads: { sourceWeights: { [BAD_SOURCE]: 1 } } }, 10, 'one');
    expect(await world.send(settings, 11, 'two')).toEqual({ state: 'later' });
    expect(world.inForce()).toMatchObject({ weights, refreshSeconds });
    world.draw();
    await world.follow();
    expect([...world.replies]).toEqual([
      ['one', OVERTAKEN],
      ['two', 'done'],
    ]);
    expect([...world.reasons]).toEqual([
      ['one', 'superseded'],
      ['two', null],
    ]);
    expect(world.recorded).toEqual(['one', 'two']);
    await world.restart();
    expect(world.inForce()).toMatchObject({ weights, refreshSeconds });
    expect(world.standing()).toMatchObject({ takenBack: null });
  });

  test.each([
    ['the same settings again', STOPS],
    ['others that do not play', { ads: { refreshSeconds: BROKEN, sourceWeights: { b: 2 } } }],
  ])('need an ad if the trial needed one, although none is on the screen: %s', async (_what, settings) => {
    await world.send(RESTART, 9, 'good');
    await world.send(STOPS, 10, 'one');
    await world.send(settings, 11, 'two');
    expect(world.replies.get('one')).toBe(OVERTAKEN);
    world.draw();
    await world.pass(MINUTE);
    expect(world.replies.get('two')).toMatch(/did not play/);
    expect(world.inForce()).toMatchObject({ refreshSeconds: 77, weights: {} });
  });

  test('need a slot of their own', async () => {
    await world.send(LIVE, 10, 'one');
    await world.send({ ...LIVE }, 11, 'two');
    await world.pass(2 * MINUTE);
    expect(world.replies.has('two')).toBe(false);
    world.drawCard();
    await world.pass(MINUTE);
    expect(world.replies.get('two')).toMatch(/did not play/);
    expect(world.inForce().weights).toEqual({});
  });

  test.each([
    ['which a correction takes back', null, {}, 300],
    ['which others replace', LIVE, { a: 1 }, 300],
  ])('are in force after its restart, %s', async (_what, settings, weights, refreshSeconds) => {
    await world.sendBeforeRestart(STOPS, 10, 'one');
    expect(await world.sendBeforeRestart(settings, 11, 'two')).toEqual({ state: 'later' });
    expect(world.kept().proven).toBeNull();
    await world.follow();
    expect([...world.replies]).toEqual([
      ['one', OVERTAKEN],
      ['two', 'done'],
    ]);
    await world.restart();
    expect(world.inForce()).toMatchObject({ weights, refreshSeconds });
  });

  test('are taken back, as it would be, if the run ends before they have played', async () => {
    await world.send(STOPS, 10, 'one');
    await world.send({ ads: { refreshSeconds: BROKEN } }, 11, 'two');
    await world.restart();
    expect(world.replies.get('two')).toMatch(/stopped before it played/);
    expect(world.inForce()).toMatchObject({ refreshSeconds: 300, weights: {} });
  });

  test('leave it on trial if they cannot be stored', async () => {
    await world.send(LIVE, 10, 'one');
    mkdirSync(`${world.path}.tmp`);
    expect(await world.send(RESTART, 11, 'two')).toMatchObject({ state: 'refused', reason: 'failed' });
    rmSync(`${world.path}.tmp`, { recursive: true });
    expect(world.kept().trial?.document.jti).toBe('one');
    world.draw();
    await world.follow();
    expect(world.replies.get('one')).toBe('done');
  });

  test('leave it on trial if they cannot be stored, and an ad that begins meanwhile proves it', async () => {
    await world.send(LIVE, 10, 'one');
    const diskFails = world.fullDisk();
    const sent = world.sendBeforeRestart(RESTART, 11, 'two');
    await world.time.settle();
    world.draw();
    diskFails();
    expect(await sent).toMatchObject({ state: 'refused', reason: 'failed' });
    await world.pass(2 * MINUTE);
    expect(world.replies.get('one')).toBe('done');
    expect(world.inForce().weights).toEqual({ a: 1 });
  });

  test('stay on trial where the success of it, which came before, cannot be stored', async () => {
    await world.send(LIVE, 10, 'one');
    const diskFails = world.fullDisk();
    world.draw();
    const sent = world.sendBeforeRestart({ ads: { sourceWeights: { b: 1 } } }, 11, 'two');
    await world.time.settle();
    diskFails();
    expect(await sent).toEqual({ state: 'later' });
    await world.follow();
    world.draw();
    await world.follow();
    expect([world.replies.get('two'), world.inForce().weights]).toEqual(['done', { b: 1 }]);
  });

  test('are not proven by a slot that begins while they are stored', async () => {
    await world.send(LIVE, 10, 'one');
    const diskAnswers = world.slowDisk();
    const sent = world.sendBeforeRestart({ ads: { sourceWeights: { [BAD_SOURCE]: 1 } } }, 11, 'two');
    await expect.poll(() => world.kept().trial?.document.jti).toBe('two');
    world.draw();
    diskAnswers();
    await sent;
    expect(world.kept()).toMatchObject({ proven: null, trial: { document: { jti: 'two' } } });
    world.drawCard();
    await world.pass(MINUTE);
    expect([world.replies.get('one'), world.inForce().weights]).toEqual([OVERTAKEN, {}]);
    expect(world.replies.get('two')).toMatch(/did not play/);
  });
});

test('settings that come again before a failed trial is stored are tried once more after the restart', async () => {
  await world.send(LIVE, 10, 'one');
  world.drawCard();
  const diskAnswers = world.slowDisk();
  await world.time.advance(MINUTE);
  expect(world.kept().trial).toBeNull();
  const again = world.sendBeforeRestart(LIVE, 10, 'again');
  diskAnswers();
  expect(await again).toEqual({ state: 'later' });
  expect(world.kept()).toMatchObject({ proven: null, trial: { needs: 'ad', isBegun: false } });
  await world.follow();
  expect(world.replies.get('one')).toMatch(/did not play/);
  expect(world.replies.get('again')).toBe('done');
  expect(world.inForce().weights).toEqual({ a: 1 });
});

test('settings that come before the restart of a failed trial are tried after it, and need an ad as that did', async () => {
  await world.send(STOPS, 10, 'one');
  const before = world.restarts().length;
  await world.time.advance(MINUTE);
  await expect.poll(() => world.restarts().length).toBe(before + 1);
  expect(await world.sendBeforeRestart(STOPS, 11, 'two')).toEqual({ state: 'later' });
  await world.follow();
  expect(world.inForce().refreshSeconds).toBe(BROKEN);
  await world.pass(MINUTE);
  expect(world.replies.get('two')).toMatch(/did not play/);
  expect(world.inForce()).toMatchObject({ refreshSeconds: 300, weights: {} });
});

describe('after a change of the settings file', () => {
  test('remote settings that do not fit the file are set aside, and are in force again once they fit', async () => {
    world.file({ native: { enabled: false } });
    await world.send({ native: { everySlots: 3 } }, 10, 'one');
    expect(world.standing().inForce?.settings).toEqual(['native.everySlots']);
    world.file({});
    await world.restart();
    expect(world.standing()).toMatchObject({
      inForce: null,
      setAside: expect.stringMatching(/native.apptoken: Missing/),
    });
    world.file({ native: { enabled: 1 } });
    await expect(world.restart()).rejects.toThrow('the file is wrong');
    world.file({ native: { enabled: false } });
    await world.restart();
    expect(world.standing().inForce).not.toBeNull();
  });

  test('settings that are set aside take effect if they are sent again once they fit the file', async () => {
    const document = { native: { everySlots: 3 } };
    world.file({ native: { enabled: false } });
    await world.send(document, 10, 'one');
    world.file({});
    await world.restart();
    world.file({ native: { enabled: false } });
    expect(await world.send(document, 11, 'again')).toEqual({ state: 'later' });
    expect(world.standing()).toMatchObject({ inForce: { settings: ['native.everySlots'] }, setAside: null });
  });

  test('settings that come while others are set aside are in force at once', async () => {
    world.file({ native: { enabled: false } });
    await world.send({ native: { everySlots: 3 } }, 10, 'one');
    world.file({});
    await world.restart();
    await world.send(LIVE, 11, 'two');
    expect(world.standing()).toMatchObject({ inForce: { settings: ['ads.sourceWeights'] }, setAside: null });
  });

  test('settings that were signed with a removed key are set aside', async () => {
    await world.send(LIVE, 10, 'one');
    world.draw();
    await world.follow();
    world.file({ fleet: { brokers: ['mqtts://broker.example'], commandKeys: [] } });
    await world.restart();
    expect(world.standing()).toMatchObject({
      inForce: null,
      setAside: expect.stringMatching(
        /^The key that signed the remote settings .* no longer in fleet.commandKeys/,
      ),
    });
    world.file({});
    await world.restart();
    expect(world.standing().inForce).not.toBeNull();
  });

  test('settings for a group that the kiosk has left are set aside, and are in force again once it is back', async () => {
    world.groups('berlin', 'north');
    await world.restart();
    await world.send(LIVE, 10, 'one', 'group:berlin');
    world.draw();
    await world.follow();
    world.groups('hamburg', 'north');
    await world.restart();
    expect(world.standing()).toMatchObject({
      inForce: null,
      setAside: 'The remote settings are for group:berlin, which is no longer in fleet.groups of the kiosk.',
    });
    world.groups('berlin');
    await world.restart();
    expect(world.inForce().weights).toEqual({ a: 1 });
  });

  test.each(['all', 'kiosk:00112233aabbccdd', undefined])('settings for %s stay in force', async (aud) => {
    world.groups('berlin');
    await world.restart();
    await world.send(LIVE, 10, 'one', aud ?? 'all');
    world.draw();
    await world.follow();
    const file = JSON.parse(readFileSync(world.path, 'utf8'));
    // An older Endcap stored no addressee.
    writeFileSync(world.path, JSON.stringify({ ...file, proven: { ...file.proven, aud } }));
    world.groups('hamburg');
    await world.restart();
    expect(world.inForce().weights).toEqual({ a: 1 });
  });

  test('a trial that does not fit the file fails, and the previous settings are in force', async () => {
    await world.send(LIVE, 10, 'one');
    world.draw();
    await world.follow();
    const file = JSON.parse(readFileSync(world.path, 'utf8'));
    const document = { ...file.proven, jti: 'two', iat: 11, settings: { admin: { pinHash: null } } };
    writeFileSync(world.path, JSON.stringify({ ...file, trial: { document, needs: 'ad', isBegun: false } }));
    await world.restart();
    expect(world.replies.get('two')).toMatch(/^admin.pinHash: Expected/);
    expect(world.inForce().weights).toEqual({ a: 1 });
  });
});

describe('on a copied disk', () => {
  const ORIGINAL = 'kiosk:00112233aabbccdd';
  /** A copy starts, with its own name. */
  async function startCopy(): Promise<void> {
    world.rename('ffeeddccbbaa9988');
    await world.restart();
    await world.follow();
  }

  test('settings for the original end with one restart, and the status says why', async () => {
    await world.send(RESTART, 10, 'one', ORIGINAL);
    await startCopy();
    expect(world.inForce().refreshSeconds).toBe(300);
    expect(world.standing()).toMatchObject({
      inForce: null,
      takenBack: { error: `They are for ${ORIGINAL}, and this kiosk has another name now.` },
    });
    const before = world.restarts();
    await world.restart();
    expect([world.restarts(), world.inForce().refreshSeconds]).toEqual([before, 300]);
    await world.send(LIVE, 11, 'two', 'kiosk:ffeeddccbbaa9988');
    expect(world.inForce().weights).toEqual({ a: 1 });
  });

  test('settings for all stay in force', async () => {
    await world.send(RESTART, 10, 'one', 'all');
    await startCopy();
    expect(world.inForce().refreshSeconds).toBe(77);
  });

  test('a trial for the original ends, and the settings for all before it are in force', async () => {
    await world.send(RESTART, 10, 'one', 'all');
    const file = JSON.parse(readFileSync(world.path, 'utf8'));
    const document = { ...file.proven, aud: ORIGINAL, jti: 'two', iat: 11, settings: LIVE };
    writeFileSync(world.path, JSON.stringify({ ...file, trial: { document, needs: 'ad', isBegun: false } }));
    await startCopy();
    expect(world.inForce()).toMatchObject({ refreshSeconds: 77, weights: {} });
  });

  test('settings for the original stay, without restarts, while their end cannot be stored', async () => {
    await world.send(RESTART, 10, 'one', ORIGINAL);
    mkdirSync(`${world.path}.tmp`);
    const before = world.restarts();
    await startCopy();
    expect([world.restarts(), world.inForce().refreshSeconds]).toEqual([before, 77]);
    rmSync(`${world.path}.tmp`, { recursive: true });
    await startCopy();
    expect(world.restarts()).toEqual([...before, world.operator.fingerprint]);
    expect(world.inForce().refreshSeconds).toBe(300);
  });
});

test('settings that cannot be stored are not tried; a trial whose result cannot be stored is reverted', async () => {
  mkdirSync(`${world.path}.tmp`);
  expect(await world.send(LIVE, 10, 'one')).toMatchObject({ state: 'refused', reason: 'failed' });
  expect(world.inForce().weights).toEqual({});
  rmSync(`${world.path}.tmp`, { recursive: true });
  await world.send(LIVE, 10, 'two');
  mkdirSync(`${world.path}.tmp`);
  world.draw();
  await world.follow();
  expect(world.replies.get('two')).toMatch(/could not be stored/);
  expect(world.inForce().weights).toEqual({});
  // The trial is stored on the disk and fails when the run ends, even if nothing else could be stored.
  await world.restart();
  expect(world.inForce().weights).toEqual({});
});

test('a file that cannot be read for now is not replaced, and is in force again at the next start', async () => {
  await world.send(RESTART, 10, 'one');
  const aside = `${world.path}.kept`;
  renameSync(world.path, aside);
  // A link to itself cannot be read, but replaced.
  symlinkSync(world.path, world.path);
  await world.restart();
  expect(world.inForce().refreshSeconds).toBe(300);
  expect(world.standing().setAside).toMatch(/cannot be read\. If other settings are refused.*restart/);
  expect(await world.send(LIVE, 9, 'two')).toMatchObject({ state: 'refused', reason: 'failed' });
  expect(world.inForce().weights).toEqual({});
  renameSync(aside, world.path);
  await world.restart();
  expect(world.inForce().refreshSeconds).toBe(77);
});

test.each(['', '{', '{"version":1}'])('a damaged file (%j) is told until others are sent', async (text) => {
  expect(world.standing().setAside).toBeNull();
  writeFileSync(world.path, text);
  await world.restart();
  const setAside = expect.stringContaining('cannot be read');
  expect(world.standing()).toEqual({ inForce: null, setAside, takenBack: null });
  await world.send(LIVE, 1, 'one');
  expect(world.inForce().weights).toEqual({ a: 1 });
  expect(world.standing().setAside).toBeNull();
});
