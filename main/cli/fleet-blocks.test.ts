import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Mosquitto, startMosquitto } from '../../tools/fleet/brokers/mosquitto';
import { listening } from '../../tools/fleet/loopback-ports';
import { readPublicKey } from '../fleet/signing-key';
import { parseBlock } from './fleet-blocks';
import { FLEET_QUIET } from './fleet-connection';
import { signBlocks } from './fleet-documents';
import { readCommandKey } from './fleet-keys';
import { fleet as runFleet } from './testing/run-fleet';
import { type StandInKiosk, startStandIn } from './testing/stand-in-kiosk';

const A = 'aaaa000000000001';

const folder = mkdtempSync(join(tmpdir(), 'endcap-blocks-'));
const [ownKey, otherKey] = [join(folder, 'own.pem'), join(folder, 'other.pem')];
let broker: Mosquitto;
let own = '';
let other = '';
let kiosk: StandInKiosk;

beforeAll(async () => {
  own = (await fleet(['keys', ownKey])).stdout.trim();
  other = (await fleet(['keys', otherKey])).stdout.trim();
});
beforeEach(async () => {
  broker = await startMosquitto();
  kiosk = await startStandIn(broker.url, A, { publicKey: own });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await kiosk.close();
  await broker.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Short waits: there is no other operator. */
const fleet = (args: readonly string[]) =>
  runFleet(args, {}, { ...FLEET_QUIET, retainedMs: 100, blocksMs: 50 });
const to = (...args: string[]) => [...args, '--to', 'all', '--broker', broker.url];
const signed = (...args: string[]) => to(...args, '--sign-key', ownKey);

async function publish(payload: string): Promise<void> {
  const client = await mqtt.connectAsync(broker.url);
  await client.publishAsync('endcap/all/blocks', payload, { qos: 1, retain: true });
  await client.endAsync();
}

/**
 * A way to the broker on which, from each document that the command sends, nothing comes back until it is released: so
 * another operator's document arrives in time, however slow the machine is.
 */
async function startHeldWay() {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    const onwards = connect(Number(new URL(broker.url).port), '127.0.0.1').on('error', () => {});
    socket.on('error', () => {}).on('close', () => onwards.destroy());
    onwards.on('data', (answer) => socket.write(answer)).on('end', () => socket.end());
    socket.on('data', (packet) => {
      // The beginning of every signed document.
      if (packet.includes('eyJ')) waiting.add(onwards.pause());
      onwards.write(packet);
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  onTestFinished(close);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    release() {
      for (const socket of waiting) socket.resume();
      waiting.clear();
    },
  };
}

/** The document that the broker keeps. */
async function stored(): Promise<string> {
  const client = mqtt.connect(broker.url);
  const jws = await new Promise<string>((resolve) => {
    client.on('message', (_topic, payload) => resolve(payload.toString()));
    client.subscribe('endcap/all/blocks');
  });
  await client.endAsync();
  return jws;
}

describe.skipIf(process.platform !== 'linux')('blocks of a fleet, at a real broker', () => {
  it('are published again with the next version at each change', async () => {
    expect(await fleet(signed('blocks'))).toMatchObject({
      exitCode: 0,
      stdout: 'all: no blocks at the broker\n',
    });
    expect((await fleet(signed('block', 'flight:f1', 'campaign:c1'))).exitCode).toBe(0);
    expect((await fleet(signed('block', 'url:https://x.example/a.mp4?t=1', '--at-once'))).exitCode).toBe(0);
    expect((await fleet(signed('unblock', 'flight:f1'))).exitCode).toBe(0);
    const { stdout } = await fleet(signed('blocks'));
    expect(stdout).toMatch(/^all: version 3 of .+\ncampaign:c1\nurl:https:\/\/x\.example\/a\.mp4\n$/);
    await expect
      .poll(() => kiosk.blocks.map(({ version, atOnce }) => [version, atOnce]))
      .toEqual([
        [1, false],
        [2, true],
        [3, false],
      ]);
    // Without a change there is no new version.
    expect((await fleet(signed('block', 'campaign:c1'))).stderr).toContain('nothing to change');
    expect((await fleet(signed('unblock', '--all'))).exitCode).toBe(0);
    await expect.poll(() => kiosk.blocks.at(-1)).toMatchObject({ version: 4, blocks: [] });
  });

  it('are published again without a change if they have to act at once', async () => {
    await fleet(signed('block', 'flight:f1'));
    const again = await fleet(signed('block', 'flight:f1', '--at-once'));
    expect(again).toMatchObject({ exitCode: 0, stderr: 'fleet: all: version 2\n' });
    await expect
      .poll(() => kiosk.blocks)
      .toMatchObject([
        { version: 1, atOnce: false },
        { version: 2, atOnce: true, blocks: [{ kind: 'flight', id: 'f1' }] },
      ]);
    // Kiosks have acted already.
    const third = await fleet(signed('block', 'flight:f1', '--at-once'));
    expect(third.stderr).toContain('nothing to change, version 2');
  });

  it.each([
    ['group:nord', 'none of the kiosks at this broker belongs to it. Check its name'],
    ['aaaa000000000002', 'this broker has no state message of it. Check its name'],
    ['group:north', null],
    [A, null],
  ])('of an addressee that no kiosk is are reported: %s', async (whom, why) => {
    const args = ['block', 'flight:f1', '--to', whom, '--broker', broker.url, '--sign-key', ownKey];
    const { exitCode, stderr } = await fleet(args);
    expect(exitCode).toBe(0);
    if (why === null) expect(stderr).toMatch(/^fleet: .+: version 1\n$/);
    else expect(stderr).toContain(why);
  });

  it('are not lifted by a typing error', async () => {
    await fleet(signed('block', 'flight:f1'));
    const { exitCode, stderr } = await fleet(signed('unblock', 'flight:F1'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('flight:F1 is not blocked for this addressee');
  });

  it('of another operator are changed only if their key is trusted', async () => {
    await fleet(to('block', 'flight:f1', '--sign-key', otherKey));
    const refused = await fleet(signed('block', 'flight:f2'));
    expect(refused).toMatchObject({ exitCode: 1 });
    const by = readPublicKey(other)?.fingerprint;
    expect(refused.stderr).toContain(`signed with the key ${by}, which is none of yours. Name the other`);
    expect((await fleet(signed('block', 'flight:f2', '--trust-key', other))).exitCode).toBe(0);
    expect((await fleet(signed('blocks'))).stdout).toMatch(/version 2 .+\nflight:f1\nflight:f2\n$/);
  });

  it.each([
    ['no document', 'hello'],
    ['one whose signature is wrong', 'forged'],
  ])('are not changed if their document is invalid: %s', async (_what, kind) => {
    await fleet(signed('block', 'flight:f1'));
    const [head = '', body = '', signature = ''] = (await stored()).split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const other = Buffer.from(JSON.stringify({ ...claims, blocks: [] })).toString('base64url');
    await publish(kind === 'forged' ? `${head}.${other}.${signature}` : kind);
    const { exitCode, stderr } = await fleet(signed('block', 'flight:f2'));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /got a document that cannot be used: (?:The signature does not match|Expected a JWS)/,
    );
    // A new list needs `--replace`, and its version is higher than the one that kiosks hold.
    expect((await fleet(signed('block', 'flight:f3', '--replace'))).exitCode).toBe(0);
    expect((await fleet(signed('blocks'))).stdout).toMatch(/version 2 .+\nflight:f3\n$/);
  });

  it('that the broker has lost are not treated as an empty list', async () => {
    await fleet(signed('block', 'flight:f1'));
    await expect.poll(() => kiosk.blocks.length).toBe(1);
    await publish('');
    expect(await fleet(signed('blocks'))).toMatchObject({ exitCode: 1 });
    const { exitCode, stderr } = await fleet(signed('block', 'flight:f2'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('kiosks have version 1 of these blocks in force');
    expect((await fleet(signed('block', 'flight:f2', '--replace'))).exitCode).toBe(0);
    await expect.poll(() => kiosk.blocks.at(-1)).toMatchObject({ version: 2 });
  });

  it('of which the broker has only an older list are neither shown nor changed', async () => {
    await fleet(signed('block', 'flight:f1'));
    const older = await stored();
    await fleet(signed('block', 'campaign:c1'));
    await publish(older);
    // The stand-in takes any version, a kiosk only a higher one.
    await expect.poll(() => kiosk.blocks.length).toBe(3);
    await kiosk.tell({ blocks: { all: 2 } });
    for (const args of [['blocks'], ['blocks', '--json'], ['block', 'flight:f2'], ['unblock', '--all']]) {
      const { exitCode, stdout, stderr } = await fleet(signed(...args));
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toContain('kiosks have version 2 of these blocks in force');
      expect(stderr).toContain('the broker has only version 1.');
      // Whoever may publish as one kiosk could claim any version.
      expect(stderr).toContain(`in force (1 of 1: ${A}), but`);
    }
    expect((await fleet(signed('block', 'flight:f2', '--replace'))).exitCode).toBe(0);
    expect((await fleet(signed('blocks'))).stdout).toMatch(/version 3 .+\nflight:f2\n$/);
  });

  it('of a group are changed whatever a kiosk of another group reports', async () => {
    await kiosk.tell({ blocks: { 'group:south': 9 } });
    const args = ['--to', 'group:south', '--broker', broker.url, '--sign-key', ownKey];
    const { exitCode, stderr } = await fleet(['block', 'flight:f1', ...args]);
    expect(stderr).toContain('fleet: group:south: version 1\n');
    expect(exitCode).toBe(0);
  });

  it('that begin a new list have a higher version than the one of an unknown key, even while kiosks are offline', async () => {
    const blocks = [{ kind: 'flight' as const, id: 'f1' }];
    const claims = { iat: 1, aud: 'all', version: 5, atOnce: false, blocks };
    await publish(await signBlocks(claims, await readCommandKey(otherKey)));
    expect((await fleet(signed('block', 'flight:f2', '--replace'))).exitCode).toBe(0);
    expect((await fleet(signed('blocks'))).stdout).toMatch(/version 6 .+\nflight:f2\n$/);
  });

  it('that were all lifted are signed anew with another key, as docs/fleet.md says', async () => {
    const claims = { iat: 1, aud: 'all', version: 5, atOnce: false, blocks: [] };
    await publish(await signBlocks(claims, await readCommandKey(otherKey)));
    expect((await fleet(signed('unblock', '--all', '--replace'))).exitCode).toBe(0);
    expect((await fleet(signed('blocks'))).stdout).toMatch(/^all: version 6 of .+\n$/);
  });

  it('that are for another addressee are refused in words that fit whoever reads them', async () => {
    const claims = { iat: 1, aud: 'group:paris', version: 1, atOnce: false, blocks: [] };
    await publish(await signBlocks(claims, await readCommandKey(ownKey)));
    const { stderr } = await fleet(signed('blocks'));
    expect(stderr).toContain('cannot be used: It is addressed to group:paris. Name');
  });

  it('are not published if the document would be too long for kiosks', async () => {
    expect((await fleet(signed('block', 'flight:f1'))).exitCode).toBe(0);
    const addresses = Array.from(
      { length: 120 },
      (_, index) => `url:https://x.example/${'a'.repeat(2_000)}${index}`,
    );
    const { exitCode, stderr } = await fleet(signed('block', ...addresses));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/at most 262144 bytes, got 3\d{5}/);
    // Otherwise kiosks that start now would have no blocks at all.
    expect((await fleet(signed('blocks'))).stdout).toMatch(/^all: version 1 of .+\nflight:f1\n$/);
  });

  it('are not sent if the document is longer than the broker takes, and the operator is told', async () => {
    const small = await startMosquitto(['allow_anonymous true', 'max_packet_size 1000']);
    const things = Array.from({ length: 50 }, (_, n) => `flight:number-${n}`);
    const where = ['--to', 'all', '--broker', small.url, '--sign-key', ownKey];
    const { exitCode, stderr } = await fleet(['block', ...things, ...where]).finally(small.close);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/the broker takes at most 1000 bytes/);
  });

  it('of an operator whose key is not trusted are not overwritten if they come meanwhile', async () => {
    await fleet(signed('block', 'flight:f0'));
    const blocks = [{ kind: 'flight' as const, id: 'f2' }];
    const theirs = await signBlocks(
      { iat: 1, aud: 'all', version: 3, atOnce: false, blocks },
      await readCommandKey(otherKey),
    );
    const client = await mqtt.connectAsync(broker.url);
    const way = await startHeldWay();
    client.once('message', () =>
      client.once('message', async () => {
        await client.publishAsync('endcap/all/blocks', theirs, { qos: 1, retain: true });
        way.release();
      }),
    );
    // The retained document comes first, then the one that the command publishes.
    await client.subscribeAsync('endcap/all/blocks', { qos: 1 });
    const over = ['--to', 'all', '--broker', way.url, '--sign-key', ownKey];
    const { exitCode, stderr } = await fleet(['block', 'flight:f1', ...over]);
    await client.endAsync();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('--trust-key');
    const { stdout } = await fleet(signed('blocks', '--trust-key', other));
    expect(stdout).toMatch(/^all: version 3 of .+\nflight:f2\n$/);
  });

  it('are changed if only the last of ten documents stays the only one of its version', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const key = await readCommandKey(otherKey);
    const client = await mqtt.connectAsync(broker.url);
    const way = await startHeldWay();
    const theirs = new Set<string>();
    client.on('message', async (_topic, payload) => {
      if (theirs.has(payload.toString())) return;
      if (theirs.size === 9) return way.release();
      const version = theirs.size + 1;
      const jws = await signBlocks({ iat: 1, aud: 'all', version, atOnce: false, blocks: [] }, key);
      theirs.add(jws);
      await client.publishAsync('endcap/all/blocks', jws, { qos: 1, retain: true });
      way.release();
    });
    await client.subscribeAsync('endcap/all/blocks', { qos: 1 });
    const over = ['--to', 'all', '--broker', way.url, '--sign-key', ownKey, '--trust-key', other];
    const changed = await fleet(['block', 'flight:f1', ...over]);
    await client.endAsync();
    expect(theirs.size).toBe(9);
    expect(changed.stderr).toMatch(/fleet: all: version 10\n$/);
    expect(changed.exitCode).toBe(0);
  });

  it('contain the changes of all operators who change them at the same time', async () => {
    const flights = ['flight:f1', 'flight:f2', 'flight:f3'];
    await fleet(signed('block', 'flight:f0'));
    const all = await Promise.all(flights.map((flight) => runFleet(signed('block', flight, '--at-once'))));
    expect(all.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    const { stdout } = await fleet(signed('blocks'));
    const [, ...things] = stdout.trim().split('\n');
    expect(things.sort()).toEqual(['flight:f0', ...flights]);
    // The kiosk accepts only the highest version, which has to be the one that the broker keeps.
    const version = Number(/version (\d+)/.exec(stdout)?.[1]);
    await expect.poll(() => kiosk.blocks.filter((each) => each.version >= version)).toHaveLength(1);
    // An operator whose change was overwritten is told so.
    const told = all.filter(({ stderr }) => stderr.includes('another operator changed these blocks'));
    if (kiosk.blocks.length > 1 + flights.length) expect(told).not.toEqual([]);
  });
});

describe('a thing to block', () => {
  it.each([
    ['flight:a:b', { kind: 'flight', id: 'a:b' }],
    [`sha256:${'a'.repeat(64)}`, { kind: 'sha256', id: 'a'.repeat(64) }],
    ['url:https://x.example/a?b#c', { kind: 'url', id: 'https://x.example/a' }],
  ])('%s', (words, block) => expect(parseBlock(words)).toEqual(block));

  it.each(['flight:', 'flight', 'sha256:abc', 'unknown:x', ''])('is refused: %j', (words) =>
    expect(() => parseBlock(words)).toThrow(/expected flight:ID/),
  );
});
