import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startMosquitto } from '../tools/fleet/brokers/mosquitto';
import { expect } from './expect';
import { fleetCommand, startFleetCommand } from './fleet-cli';
import { dataFolder } from './kiosk';
import { keep, launch, service, test } from './kiosk-test';
import {
  BLUE,
  type Colour,
  expectOnScreen,
  imageAd,
  isColour,
  kioskSettings,
  RED,
  serveColours,
} from './two-creatives';

// An operator's commands in a terminal, with a real kiosk and a real broker.

/** Longer than a command takes, s: an ad that leaves the screen earlier was removed by the command. */
const LONG = 600;
const PICTURE = { width: 640, height: 360 };

/** An ad that fills every slot until its campaign is blocked. */
const inCampaign = (id: string, name: string) => {
  const ad = imageAd(name, LONG);
  return { ...ad, metadata: { ...ad.metadata, campaign_id: id } };
};

/** The mean colour of a picture, and the number of its pixels. */
function read(jpeg: string): { readonly colour: Colour; readonly points: number } {
  const decoded = ['-loglevel', 'error', '-i', jpeg, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const bytes = execFileSync('ffmpeg', decoded, { maxBuffer: 64 * 1024 * 1024 });
  const points = bytes.length / 3;
  const sum = [0, 0, 0];
  for (const [at, value] of bytes.entries()) sum[at % 3] = (sum[at % 3] ?? 0) + value;
  const [red = 0, green = 0, blue = 0] = sum.map((each) => each / points);
  return { colour: [red, green, blue], points };
}

test('an operator lists kiosks, looks at a screen, takes a campaign down and lifts it, reads a log, and announces', async () => {
  test.slow();
  const folder = dataFolder();
  keep({ [Symbol.asyncDispose]: async () => folder.remove() });
  const broker = keep(await startMosquitto());
  const url = `mqtt://127.0.0.1:${broker.port}`;
  const at = (...args: string[]) => [...args, '--broker', url];
  const keyFile = join(folder.path, 'operator.pem');
  const signed = (...args: string[]) => at(...args, '--sign-key', keyFile);
  const done = async (args: readonly string[]): Promise<string> => {
    const { code, out, errors } = await fleetCommand(args);
    expect(code, `${args.join(' ')}: ${errors}`).toBe(0);
    return out;
  };

  const publicKey = (await done(['keys', keyFile])).trim();
  expect(publicKey).toMatch(/^ed25519:/);
  serveColours(service, { red: RED, blue: BLUE });
  // Alone at first: of two, the one whose file is stored first would fill the screen.
  service.setAds([inCampaign('spring', 'red')]);
  const kiosk = await launch({
    ...kioskSettings(service, 3_600),
    store: { storeId: 'store-17', zone: 'door' },
    fleet: { brokers: [url], commandKeys: [publicKey], groups: ['north'] },
  });
  const watch = startFleetCommand(at('watch'));
  await expectOnScreen(kiosk, RED);
  const name = /^[0-9a-f]{16}/.exec(await untilTold(watch.out, /[0-9a-f]{16}/))?.[0] ?? '';

  await test.step('list', async () => {
    const listed = async () => (await done(at('list'))).split('\n').find((line) => line.startsWith(name));
    await expect.poll(listed).toMatch(/^[0-9a-f]{16} +store-17\/door +playing +\d+ s /);
    // State, what is on the screen, and inventory are separate messages.
    await expect
      .poll(async () => JSON.parse(await done(at('list', '--json')))[0])
      .toMatchObject({
        kiosk: name,
        now: { now: { campaignId: 'spring' } },
        inventory: { publicKey: expect.stringMatching(/^ed25519:/) },
      });
  });

  await test.step('refresh', async () => {
    service.setAds([inCampaign('spring', 'red'), inCampaign('autumn', 'blue')]);
    await done(signed('send', 'refresh', '--to', name, '--wait'));
    await expect.poll(async () => (await kiosk.status()).media.files).toBe(2);
  });

  await test.step('screenshot', async () => {
    const pictures = join(folder.path, 'pictures');
    const size = ['--width', String(PICTURE.width)];
    const out = await done(signed('screenshot', '--to', name, '--out', pictures, ...size));
    expect(out.trim()).toBe(join(pictures, `${name}.jpg`));
    const { colour, points } = read(out.trim());
    // The window may be a row larger than the display (cover-display.ts).
    expect(Math.abs(points / PICTURE.width - PICTURE.height)).toBeLessThanOrEqual(1);
    expect(isColour(RED, colour), String(colour)).toBe(true);
  });

  await test.step('block, blocks, unblock', async () => {
    await done(signed('block', 'campaign:spring', '--to', 'group:north', '--at-once'));
    await expectOnScreen(kiosk, BLUE);
    const taken = async () => (await kiosk.plays()).find(({ adId }) => adId === 'red')?.outcome;
    await expect.poll(taken).toBe('interrupted');
    expect(await done(signed('blocks', '--to', 'group:north'))).toMatch(
      /^group:north: version 1 of .+\ncampaign:spring\n$/,
    );
    await done(signed('block', 'campaign:autumn', '--to', 'all', '--at-once'));
    await done(signed('unblock', 'campaign:spring', '--to', 'group:north'));
    await expectOnScreen(kiosk, RED);
    expect(await done(signed('blocks', '--to', 'group:north'))).toMatch(/^group:north: version 2 of .+\n$/);
  });

  await test.step('log', async () => {
    const [first = '', ...lines] = (await done(signed('send', 'log', '5', '--to', name, '--wait')))
      .trimEnd()
      .split('\n');
    expect(first).toMatch(new RegExp(`^${name} +store-17/door +done$`));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toContain('a command of the fleet was accepted {"command":"log"');
    for (const line of lines) expect(line).toMatch(/^ {2}(\d{4}-\d\d-\d\dT\S+ )?[a-z]+ /);
  });

  await test.step('announce', async () => {
    const card = kiosk.screen.getByRole('alert');
    const text = 'Please leave the store.';
    const how = ['--severity', 'emergency', '--until', '30m'];
    await done(signed('send', 'announce', text, ...how, '--to', 'group:north', '--wait'));
    await expect(card).toHaveText(text);
    await done(signed('send', 'announce', '--end', '--to', 'group:north', '--wait'));
    await expect(card).toHaveCount(0);
    await expectOnScreen(kiosk, RED);
  });

  await test.step('commands of an unknown key', async () => {
    const stranger = join(folder.path, 'stranger.pem');
    const line = (await done(['keys', stranger])).trim();
    const asked = ['--to', name, '--wait', '--timeout', '3s', '--sign-key', stranger];
    const { code, errors } = await fleetCommand(at('send', 'pause', '30', ...asked));
    expect(code).toBe(1);
    // A kiosk does not read a command with an unknown signature, so its reply cannot name the command.
    expect(errors).toContain(`1 without an answer: ${name}`);
    expect(errors).toContain(`${name}: refused a command whose key is not in its fleet.commandKeys`);
    expect(errors).toContain(`add ${line} there`);
    expect((await kiosk.status()).state).toBe('playing');
  });

  await kiosk.terminate();
  await untilTold(watch.out, /playing -> offline/);
  watch.end();
  expect((await watch.done).code).toBe(0);
});

/** Waits until the output matches `words`; resolves with the output from there on. */
async function untilTold(out: () => string, words: RegExp): Promise<string> {
  await expect.poll(out).toMatch(words);
  return out().slice(out().search(words));
}
