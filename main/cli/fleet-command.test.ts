import { getEventListeners, once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import mqtt from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Mosquitto, startMosquitto } from '../../tools/fleet/brokers/mosquitto';
import { listening } from '../../tools/fleet/loopback-ports';
import { testCa } from '../egress/testing/test-ca';
import { FLEET_QUIET } from './fleet-connection';
import { fleet as runFleet, startFleet } from './testing/run-fleet';
import { exampleState, type StandInKiosk, startStandIn } from './testing/stand-in-kiosk';

const [A, B, C] = ['aaaa000000000001', 'bbbb000000000002', 'cccc000000000003'];
const JPEG = Buffer.from('ffd8ffe000104a46494600ffd9', 'hex');

const folder = mkdtempSync(join(tmpdir(), 'endcap-fleet-'));
const keyFile = join(folder, 'operator.pem');
let broker: Mosquitto;
let publicKey = '';
const kiosks: StandInKiosk[] = [];

beforeAll(async () => {
  publicKey = (await fleet(['keys', keyFile])).stdout.trim();
});
beforeEach(async () => {
  broker = await startMosquitto();
});
afterEach(async () => {
  for (const kiosk of kiosks.splice(0)) await kiosk.close();
  await broker.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Short waits: a broker on this machine sends retained messages at once. */
const QUIET = { ...FLEET_QUIET, retainedMs: 200, blocksMs: 50, againMs: 100 };
const fleet = (args: readonly string[]) => runFleet(args, {}, QUIET);

async function kiosk(name: string, more: Partial<Parameters<typeof startStandIn>[2]> = {}) {
  const started = await startStandIn(broker.url, name, { publicKey, ...more });
  kiosks.push(started);
  return started;
}
/** Of the client's packets: the first of this type, so that the broker gets none of it. */
const first = (type: number) => (packet: Buffer) => (packet[0] ?? 0) >> 4 === type;
const [PUBLISH, SUBSCRIBE] = [3, 8];
/**
 * A way to the broker that can be cut, by a packet of the client or by one of the broker for example, and mended, or that
 * passes nothing on from a packet of the client on.
 */
async function startRelay({
  cuts = (_packet: Buffer): boolean => false,
  ends = (_packet: Buffer): boolean => false,
  isLast = (_answer: Buffer): boolean => false,
} = {}) {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isSilent = false;
  let refused = 0;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (isCut) {
      refused += 1;
      return void socket.destroy();
    }
    const onwards = connect(Number(new URL(broker.url).port), '127.0.0.1').on('error', () => {});
    sockets.add(socket).add(onwards);
    onwards.on('end', () => socket.end());
    onwards.on('data', (answer: Buffer) => {
      if (!isLast(answer)) return void socket.write(answer);
      isCut = true;
      onwards.destroy();
      // Of what the broker sent at once, only the first packet arrives.
      socket.end(answer.subarray(0, 2 + (answer[1] ?? 0)));
    });
    socket.on('data', (packet: Buffer) => {
      isSilent ||= ends(packet);
      if (cuts(packet)) cut();
      else if (!isSilent) onwards.write(packet);
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  onTestFinished(() => {
    cut();
    return close();
  });
  const mend = () => {
    isCut = false;
  };
  const url = `mqtt://127.0.0.1:${port}`;
  return { url, cut, mend, isSilent: () => isSilent, refused: () => refused };
}

const at = (...args: string[]) => [...args, '--broker', broker.url];
const signed = (...args: string[]) => at(...args, '--sign-key', keyFile);

describe.skipIf(process.platform !== 'linux')('endcap fleet, at a real broker', () => {
  it('lists the kiosks with their places, states and problems', async () => {
    await kiosk(A);
    const problems = [{ code: 'disk-low', message: 'x', advice: null }];
    await kiosk(B, { state: { storeId: null, zone: null, state: 'attention', problems } });
    const { stdout, exitCode } = await fleet(at('list'));
    expect(exitCode).toBe(0);
    const [head = '', first = '', second = ''] = stdout.split('\n');
    expect(head).toMatch(/^KIOSK +PLACE +STATE +SINCE +HEARD +VERSION +PROBLEMS$/);
    // Kiosks that need attention come first.
    expect(first).toMatch(/^bbbb000000000002 +host-bbbb +attention .+ 0\.1\.0 +disk-low$/);
    expect(second).toMatch(/^aaaa000000000001 +store-17\/door +playing .+ 0\.1\.0 +-$/);
    const json = JSON.parse((await fleet(at('list', '--json'))).stdout) as { kiosk: string }[];
    expect(json.map(({ kiosk }) => kiosk).sort()).toEqual([A, B]);
  });

  it('says what to check where a list is empty', async () => {
    await kiosk(A);
    for (const format of [[], ['--json']]) {
      const { exitCode, stderr } = await fleet(at('list', '--prefix', 'another', ...format));
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/^fleet: this broker knows no kiosk\. Check --broker and --prefix, .+\n$/);
    }
    expect((await fleet(at('list'))).stderr).toBe('');
  });

  it('shows a kiosk that dies, on a terminal and as a line', async () => {
    const dying = await kiosk(A);
    const table = startFleet(at('list'), { terminal: () => ({ columns: 120, rows: 20 }) });
    const lines = startFleet(at('watch'));
    await expect.poll(table.out).toContain('1 kiosks: 1 playing');
    await expect.poll(lines.out).toMatch(/ {2}playing {2}Plays ads\.\n$/);
    dying.die();
    await expect.poll(table.out).toContain('1 kiosks: 1 offline');
    await expect.poll(lines.out).toContain('playing -> offline');
    // This would erase what the terminal showed before.
    expect(table.out()).not.toContain('\u001b[3J');
    table.end();
    lines.end();
    expect([(await table.done).exitCode, (await lines.done).exitCode]).toEqual([0, 0]);
  });

  it('lets no kiosk control the terminal', async () => {
    const evil = await kiosk(A, { state: { storeId: '\u001b[2J\u009b31m', sentence: '\u001b]0;x\u0007' } });
    await evil.say('state', 'x'.repeat(100_000));
    await evil.say('now', '\u001b[2J{');
    await evil.tell({});
    const lines = startFleet(at('watch'));
    await expect.poll(lines.out).toContain(A);
    lines.end();
    const all = [await fleet(at('list')), await fleet(at('list', '--json')), await lines.done];
    for (const { stdout } of all) expect(stdout).not.toMatch(/(?!\n)\p{C}/u);
    expect(all[0]?.stderr).toContain('unreadable messages: 1');
  });

  it('sends a signed command to one kiosk, a group or all, and waits for those that are online', async () => {
    const [first, second] = [await kiosk(A), await kiosk(B, { state: { groups: ['south'] } })];
    const gone = await kiosk(C);
    gone.die();
    const settled = async () =>
      JSON.parse((await fleet(at('list', '--json'))).stdout) as { state: { online: boolean } }[];
    await expect.poll(async () => (await settled()).filter(({ state }) => state.online).length).toBe(2);
    const one = await fleet(signed('send', 'pause', '30', '--to', A, '--wait'));
    expect(one).toMatchObject({ exitCode: 0, stdout: `${A}  store-17/door  done\n` });
    const group = await fleet(signed('send', 'volume', '0.5', '--to', 'group:south', '--wait'));
    expect(group.stdout).toBe(`${B}  store-17/door  done\n`);
    const all = await fleet(signed('send', 'refresh', '--to', 'all', '--wait', '--valid', '7d'));
    expect(all.exitCode).toBe(0);
    expect(all.stderr).toContain('2 done, 0 refused, 0 without an answer');
    expect(all.stderr).toContain(`fleet: ${C}: offline. `);
    expect(first.commands.map(({ aud, command }) => [aud, command])).toEqual([
      [`kiosk:${A}`, { name: 'pause', minutes: 30 }],
      ['all', { name: 'refresh' }],
    ]);
    expect(second.commands.map(({ exp, iat }) => exp - iat)).toEqual([300, 7 * 86_400]);
    expect(new Set([...first.commands, ...second.commands].map(({ jti }) => jti)).size).toBe(3);
  });

  it('lets the broker drop a command that has expired, but no blocks', async () => {
    const client = await mqtt.connectAsync(broker.url, { protocolVersion: 5 });
    onTestFinished(() => client.endAsync(true));
    const lasts = new Map<string, number | undefined>();
    client.on('message', (topic, _payload, { properties }) =>
      lasts.set(topic, properties?.messageExpiryInterval),
    );
    await client.subscribeAsync(['endcap/all/#', `endcap/${A}/#`, 'endcap/groups/#'], { qos: 1 });
    await fleet(signed('send', 'refresh', '--to', 'all'));
    await fleet(signed('send', 'refresh', '--to', A, '--valid', '7d'));
    await fleet(signed('block', 'campaign:c-1', '--to', 'group:south'));
    await expect.poll(() => lasts.size).toBe(3);
    // The broker subtracts how long the message has waited.
    const at = (topic: string) => Math.ceil((lasts.get(topic) ?? 0) / 10) * 10;
    expect([at('endcap/all/command'), at(`endcap/${A}/command`)]).toEqual([300, 7 * 86_400]);
    expect(lasts.get('endcap/groups/south/blocks')).toBeUndefined();
  });

  it('names the kiosks that refused or did not answer, or do not know the key, ignores answers of others, and fails', async () => {
    const stranger = join(folder, 'stranger.pem');
    const { stdout: line } = await fleet(['keys', stranger]);
    await kiosk(A, { answer: () => null });
    const liar = await kiosk(B, {
      answer: ({ jti }) => {
        const reply = { kiosk: A, to: jti, command: 'refresh', state: 'done', at: '2026-11-22T10:00:00Z' };
        void liar.say('reply', JSON.stringify(reply), false);
        return null;
      },
    });
    await kiosk(C, {
      answer: () => ({ state: 'refused', reason: 'not-now', message: 'staff\u001b[2J work' }),
    });
    const toAll = ['send', 'refresh', '--to', 'all', '--wait', '--timeout', '3s'];
    const [own, unknown] = await Promise.all([
      fleet(signed(...toAll)),
      fleet(at(...toAll, '--sign-key', stranger)),
    ]);
    expect(own).toMatchObject({
      exitCode: 1,
      stdout: `${C}  store-17/door  refused  not-now: staff [2J work\n`,
    });
    expect(own.stderr).toContain(`0 done, 1 refused, 2 without an answer: ${A}, ${B}\n`);
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toContain(`0 done, 0 refused, 3 without an answer: ${A}, ${B}, ${C}\n`);
    const why = `fleet: ${A}, ${B}, ${C}: refused a command whose key is not in its fleet.commandKeys. `;
    expect(unknown.stderr).toContain(why);
    expect(unknown.stderr).toContain(`add ${line.trim()} there\n`);
  });

  it('says what to check if no kiosk is addressed', async () => {
    await kiosk(A);
    const nobody = await fleet(signed('send', 'refresh', '--to', 'group:none', '--wait'));
    expect(nobody).toMatchObject({ exitCode: 1 });
    expect(nobody.stderr).toContain('no kiosk of group:none is online');
    expect(nobody.stderr).toContain('fleet: none of the kiosks at this broker belongs to it. ');
  });

  it('says what to check if no kiosk is addressed, although it waits for no answer', async () => {
    await kiosk(A);
    const send = (whom: string) =>
      fleet(['send', 'refresh', '--to', whom, '--broker', broker.url, '--sign-key', keyFile]);
    const nobody = await send('group:nord');
    expect(nobody.exitCode).toBe(0);
    expect(nobody.stderr).toContain('none of the kiosks at this broker belongs to it. Check its name');
    expect((await send('group:north')).stderr).toMatch(/^fleet: sent refresh to group:north, .+\n$/);
  });

  it('waits for the end of a command of which a kiosk got a second copy, as MQTT allows', async () => {
    const first = await kiosk(A, {
      answer: ({ jti }) => {
        const twice = { kiosk: A, to: jti, command: 'refresh', state: 'refused', reason: 'seen-before' };
        void first.say('reply', JSON.stringify({ ...twice, at: '2026-11-22T10:00:00.000Z' }), false);
        return { state: 'done' };
      },
    });
    const { exitCode, stdout } = await fleet(signed('send', 'refresh', '--to', A, '--wait'));
    expect(stdout).toBe(`${A}  store-17/door  done\n`);
    expect(exitCode).toBe(0);
  });

  it('prints log lines without control characters', async () => {
    await kiosk(A, { answer: () => ({ state: 'done', result: { lines: ['one', '\u001b[31mtwo'] } }) });
    const { stdout } = await fleet(signed('send', 'log', '--to', A, '--wait'));
    expect(stdout).toBe(`${A}  store-17/door  done\n  one\n   [31mtwo\n`);
  });

  it('writes screenshots named after their kiosks, and only complete pictures', async () => {
    const out = join(folder, 'shots');
    const result = (data: Buffer) => ({ mediaType: 'image/jpeg', data: data.toString('base64') });
    await kiosk(A, { answer: () => ({ state: 'done', result: result(JPEG) }) });
    await kiosk(B, { answer: () => ({ state: 'done', result: result(JPEG.subarray(0, 8)) }) });
    const one = await fleet(signed('screenshot', '--to', A, '--out', out));
    expect(one).toMatchObject({ exitCode: 0, stdout: `${join(out, `${A}.jpg`)}\n` });
    const all = await fleet(signed('screenshot', '--to', 'all', '--out', out));
    expect(all.exitCode).toBe(1);
    expect(readdirSync(out)).toEqual([`${A}.jpg`]);
    expect(readFileSync(join(out, `${A}.jpg`))).toEqual(JPEG);
  });

  it('writes the other screenshots and the summary if one cannot be written', async () => {
    const out = join(folder, 'partly');
    mkdirSync(join(out, `${A}.jpg`), { recursive: true });
    const result = { mediaType: 'image/jpeg', data: JPEG.toString('base64') };
    for (const name of [A, B, C]) await kiosk(name, { answer: () => ({ state: 'done', result }) });
    const { exitCode, stdout, stderr } = await fleet(signed('screenshot', '--to', 'all', '--out', out));
    expect([exitCode, stdout.split('\n').sort()]).toEqual([
      1,
      ['', join(out, `${B}.jpg`), join(out, `${C}.jpg`)],
    ]);
    expect(stderr).toMatch(
      /fleet: 3 done, 0 refused, 0 without an answer\n(.|\n)*fleet: .+aaaa000000000001\.jpg: cannot be written/,
    );
  });

  it('says what is wrong with the connection, and what to do', async () => {
    const closed = await fleet(['list', '--broker', 'mqtt://127.0.0.1:1']);
    expect(closed).toMatchObject({ exitCode: 1 });
    expect(closed.stderr).toMatch(
      /expected a broker that answers, got mqtt:\/\/127\.0\.0\.1:1: ECONNREFUSED/,
    );
    const second = await fleet(['list', '--broker', 'mqtt://127.0.0.1:1', '--broker', broker.url]);
    expect(second.exitCode).toBe(0);
  });

  it.each<
    [string, { host?: string; days?: ['200101', '211231']; asks?: boolean; foreign?: boolean }, RegExp]
  >([
    ['an unknown CA', { foreign: true }, /(SELF_SIGNED|UNABLE_TO)\S+\. .+Check --ca-file/],
    [
      'another name',
      { host: 'broker.example' },
      /ALTNAME_INVALID\. .+another name.+Check the host in --broker/,
    ],
    ['a certificate that has ended', { days: ['200101', '211231'] }, /CERT_HAS_EXPIRED\. .+clock/],
    ['a wish for a certificate', { asks: true }, /CERTIFICATE_REQUIRED\. .+Check --cert-file and --key-file/],
  ])('says what to check at a broker with %s', async (_what, how, advice) => {
    const ca = testCa('CA');
    const { cert, key } = ca.issue(how.host ?? '127.0.0.1', how.days);
    const trusted = join(folder, 'ca.pem');
    writeFileSync(trusted, how.foreign ? testCa('other').cert : ca.cert);
    const server = createTlsServer({ cert, key, ca: ca.cert, requestCert: how.asks === true });
    server.on('tlsClientError', () => {});
    await using broker = await listening(server);
    const args = ['list', '--broker', `mqtts://127.0.0.1:${broker.port}`, '--ca-file', trusted];
    const { exitCode, stderr } = await fleet(args);
    expect(stderr).toMatch(advice);
    expect(exitCode).toBe(1);
  });

  it('says what to check where no broker listens, its name is unknown, or it speaks no TLS', async () => {
    const at = async (url: string) => (await fleet(['list', '--broker', url])).stderr;
    expect(await at('mqtt://127.0.0.1:1')).toMatch(
      /ECONNREFUSED\. .+Check the host and the port in --broker/,
    );
    expect(await at('mqtts://no-broker.invalid')).toMatch(
      /(ENOTFOUND|EAI_AGAIN)\. .+Check its spelling in --broker/,
    );
    expect(await at(broker.url.replace('mqtt:', 'mqtts:'))).toMatch(/mqtt: without TLS.+Check --broker/);
  });

  it('says what to check where a broker listens with TLS, and the address is one without', async () => {
    const server = createTlsServer(testCa('CA').issue('127.0.0.1'));
    server.on('tlsClientError', () => {});
    await using broker = await listening(server);
    const args = ['list', '--broker', `mqtt://127.0.0.1:${broker.port}`];
    const { stderr } = await runFleet(args, {}, { ...QUIET, connectMs: 1_000 });
    expect(stderr).toMatch(/closed the connection\. .+with TLS, use mqtts:/);
  });

  it('gives up once a silent broker had its time to answer, and does not begin again', async () => {
    let tries = 0;
    await using silent = await listening(
      createServer(() => {
        tries += 1;
      }),
    );
    const args = ['list', '--broker', `mqtt://127.0.0.1:${silent.port}`];
    const { exitCode, stderr } = await runFleet(args, {}, { ...QUIET, connectMs: 100 });
    expect([exitCode, tries]).toEqual([1, 2]);
    expect(stderr).toContain('expected a broker that answers, got mqtt://127.0.0.1');
  });

  it('ends with Ctrl+C even while no broker answers', async () => {
    const server = createServer();
    await using silent = await listening(server);
    const list = startFleet(['list', '--broker', `mqtt://127.0.0.1:${silent.port}`]);
    await once(server, 'connection');
    list.end();
    expect(await list.done).toMatchObject({ exitCode: 1, stderr: 'fleet: ended before a broker answered\n' });
  });

  it.each([
    [
      'after a while',
      300,
      /^fleet: the broker has not acknowledged .+ to endcap\/all\/command within 0\.3 s, but/,
    ],
    ['with Ctrl+C', 600_000, /^fleet: the broker has not acknowledged .+ before the command was ended, but/],
  ])('ends %s if the broker goes away before it acknowledges a command', async (_how, receiptMs, why) => {
    const relay = await startRelay({ ends: first(PUBLISH) });
    const args = ['send', 'refresh', '--to', 'all', '--broker', relay.url, '--sign-key', keyFile];
    const sending = startFleet(args, {}, { ...QUIET, receiptMs });
    await expect.poll(relay.isSilent).toBe(true);
    if (receiptMs > 300) sending.end();
    const { exitCode, stderr } = await sending.done;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(why);
  });

  it.each([
    [
      'after a while',
      300,
      /^fleet: the broker has not answered the subscription to endcap\/.+ within 0\.3 s/,
    ],
    ['with Ctrl+C', 600_000, /^fleet: the broker has not answered .+ before the command was ended/],
  ])('ends %s if the broker goes away before it answers a subscription', async (_how, receiptMs, why) => {
    const relay = await startRelay({ ends: first(SUBSCRIBE) });
    const list = startFleet(['list', '--broker', relay.url], {}, { ...QUIET, receiptMs });
    await expect.poll(relay.isSilent).toBe(true);
    if (receiptMs > 300) list.end();
    const { exitCode, stderr } = await list.done;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(why);
  });

  it('says that a command may have arrived if the connection breaks before the broker acknowledges it', async () => {
    const relay = await startRelay({ cuts: first(PUBLISH) });
    const args = ['send', 'refresh', '--to', 'all', '--broker', relay.url, '--sign-key', keyFile];
    const { exitCode, stderr } = await runFleet(args, {}, QUIET);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `fleet: the broker has not acknowledged what was sent to endcap/all/command before the connection to ${relay.url} was lost, but may have passed it on. Check the broker, then what the kiosks do\n`,
    );
  });

  it.each([
    ['blocks that the broker has not acknowledged', first(PUBLISH), /but may have passed it on\. Check/],
    [
      'blocks that came back from it',
      // The command acknowledges its own document.
      (() => {
        let isSent = false;
        return (packet: Buffer) => {
          isSent ||= first(PUBLISH)(packet);
          return isSent && first(4)(packet);
        };
      })(),
      /was lost after the blocks were published\. See which are in force \(endcap fleet blocks\)/,
    ],
  ])('says that blocks may be in force if the connection breaks: %s', async (_which, cuts, why) => {
    const relay = await startRelay({ cuts });
    const args = ['block', 'flight:f2', '--to', 'all', '--broker', relay.url, '--sign-key', keyFile];
    const { exitCode, stderr } = await runFleet(args, {}, { ...QUIET, blocksMs: 1_000 });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(why);
    expect(stderr).toContain(`the connection to ${relay.url} was lost`);
  });

  it('names the broker if the connection breaks before it answers a subscription', async () => {
    const relay = await startRelay({ cuts: first(SUBSCRIBE) });
    const { exitCode, stderr } = await runFleet(['list', '--broker', relay.url], {}, QUIET);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^fleet: the broker has not answered .+ before the connection to mqtt:.+ was lost\. Check/,
    );
  });

  it.each([
    ['list', '--json'],
    ['send', 'refresh', '--to', 'all', '--sign-key', keyFile],
    ['block', 'flight:f2', '--to', 'all', '--sign-key', keyFile],
  ])(
    'prints no part of a list, and sends nothing, if the connection breaks meanwhile: %s',
    async (...args) => {
      const playing = await kiosk(A);
      await fleet(signed('block', 'flight:f1', '--to', 'all'));
      // The subscription is still acknowledged.
      const relay = await startRelay({ isLast: (answer) => (answer[0] ?? 0) >> 4 === 9 });
      const { exitCode, stdout, stderr } = await runFleet([...args, '--broker', relay.url], {}, QUIET);
      expect([exitCode, stdout, playing.commands]).toEqual([1, '', []]);
      expect(stderr).toBe(
        `fleet: the connection to ${relay.url} was lost before all of its messages came. Check the broker, then try again\n`,
      );
      const blocks = await fleet(signed('blocks', '--to', 'all'));
      expect(blocks.stdout).toMatch(/^all: version 1 of .+\nflight:f1\n$/);
    },
  );

  it('lists kiosks whose messages arrive one by one', async () => {
    const slow = await startMosquitto(['allow_anonymous true', 'max_inflight_messages 1']);
    onTestFinished(() => slow.close());
    const client = await mqtt.connectAsync(slow.url);
    onTestFinished(() => client.endAsync(true));
    const names = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(16, '0'));
    for (const name of names)
      await client.publishAsync(`endcap/${name}/state`, JSON.stringify(exampleState(name)), { retain: true });
    const { exitCode, stdout } = await fleet(['list', '--json', '--broker', slow.url]);
    expect(exitCode).toBe(0);
    expect((JSON.parse(stdout) as unknown[]).length).toBe(names.length);
  });

  it('does not wait until kiosks have nothing more to tell', async () => {
    const busy = await kiosk(A);
    const ending = new AbortController();
    const telling = (async () => {
      for (let said = 0; !ending.signal.aborted; said += 1)
        await busy.tell({ sentence: `Plays ad ${said}.` });
    })();
    const { exitCode, stdout } = await fleet(at('list', '--json'));
    ending.abort();
    await telling;
    expect(exitCode).toBe(0);
    expect(stdout).toContain(A);
  });

  it.each([
    ['list', '--json'],
    ['send', 'refresh', '--to', 'all', '--sign-key', keyFile],
  ])(
    'prints no part of a list, and sends nothing, if it is ended while messages arrive: %s',
    async (...args) => {
      const playing = await kiosk(A);
      let reading: ReturnType<typeof startFleet> | null = null;
      // Ends it when it acknowledges the first message.
      const relay = await startRelay({
        cuts(packet) {
          if ((packet[0] ?? 0) >> 4 === 4) reading?.end();
          return false;
        },
      });
      reading = startFleet([...args, '--broker', relay.url], {}, QUIET);
      const { exitCode, stdout, stderr } = await reading.done;
      expect([exitCode, stdout, playing.commands]).toEqual([1, '', []]);
      expect(stderr).toBe('fleet: ended before all messages of the broker came\n');
    },
  );

  it('says that an answer may be missing if the connection broke meanwhile', async () => {
    await kiosk(A, { answer: () => null });
    const relay = await startRelay();
    const order = ['send', 'restart-kiosk', '--to', 'all', '--wait', '--timeout', '10m'];
    const sending = startFleet([...order, '--broker', relay.url, '--sign-key', keyFile], {}, QUIET);
    await expect.poll(sending.told).toContain('fleet: sent restart-kiosk');
    relay.cut();
    const { exitCode, stderr } = await sending.done;
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`fleet: the connection to ${relay.url} was lost, so answers may be missing. `);
  });

  it('tells once that the broker went away, and once that it is back, and goes on', async () => {
    const playing = await kiosk(A);
    const relay = await startRelay();
    const lines = startFleet(['watch', '--broker', relay.url], {}, QUIET);
    await expect.poll(lines.out).toContain(A);
    relay.cut();
    await expect.poll(relay.refused).toBeGreaterThan(2);
    expect(lines.told()).toBe('fleet: the connection to the broker is lost, trying again\n');
    relay.mend();
    await expect.poll(lines.told).toContain('is back');
    await playing.tell({ state: 'paused' });
    await expect.poll(lines.out).toContain('playing -> paused');
    lines.end();
    expect((await lines.done).stderr.match(/connection/g)).toHaveLength(2);
  });

  it('leaves no listener for each try to connect', async () => {
    const relay = await startRelay();
    relay.cut();
    const { signal } = new AbortController();
    const nodes = Array.from({ length: 3 }, () => ['--broker', relay.url]).flat();
    expect(await startFleet(['list', ...nodes], { ended: signal }, QUIET).done).toMatchObject({
      exitCode: 1,
    });
    expect(relay.refused()).toBeGreaterThan(4);
    expect(getEventListeners(signal, 'abort').length).toBeLessThan(3);
  });

  it('connects with a certificate', async () => {
    const own = testCa('broker').issue('127.0.0.1');
    const files = (['cert', 'key'] as const).flatMap((name) => {
      const file = join(folder, `client.${name}`);
      writeFileSync(file, own[name]);
      return [`--${name}-file`, file];
    });
    const { stderr } = await fleet(['list', '--broker', 'mqtts://127.0.0.1:1', ...files]);
    expect(stderr).toContain('127.0.0.1:1: ECONNREFUSED');
  });

  it('sends the whole path of a WebSocket address', async () => {
    const asked: (string | undefined)[] = [];
    const server = createHttpServer().on('upgrade', ({ url }, socket) => {
      asked.push(url);
      socket.destroy();
    });
    await using broker = await listening(server);
    const list = startFleet(['list', '--broker', `ws://127.0.0.1:${broker.port}/mqtt?key=k`]);
    await expect.poll(() => asked[0]).toBe('/mqtt?key=k');
    list.end();
    await list.done;
  });

  it('reports that the broker refuses the user', async () => {
    const strict = await startMosquitto(['allow_anonymous false']);
    try {
      const { exitCode, stderr } = await fleet(['list', '--broker', strict.url]);
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 });
      expect(stderr).toContain('the broker refuses the user, password or certificate');
    } finally {
      await strict.close();
    }
  });

  it('lists no state of a kiosk that was removed from the broker', async () => {
    const leaving = await kiosk(A);
    await leaving.say('now', JSON.stringify({ kiosk: A, at: exampleState(A).at, now: null, next: null }));
    await leaving.say('state', '');
    const lines = (await fleet(at('list', '--json'))).stdout;
    expect((JSON.parse(lines) as { state: unknown }[]).filter(({ state }) => state !== null)).toEqual([]);
  });
});
