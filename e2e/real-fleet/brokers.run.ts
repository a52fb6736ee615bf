import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNatsCluster } from '../../tools/fleet/brokers/nats-cluster';
import { expect } from '../expect';
import { fleetCommand } from '../fleet-cli';
import { nameOf } from '../fleet-operator';
import { dataFolder } from '../kiosk';
import { folder, keep, launch, service, test } from '../kiosk-test';
import { expectMorePlays, kioskSettings, serveTwoCreatives } from '../two-creatives';

type Seen = { readonly online: boolean; readonly blocks: Readonly<Record<string, number>> };

// The last part of `npm run fleet-brokers`: a real kiosk instead of simulated ones.

/** Commands that are sent around each kill. */
const COMMANDS = 4;
/** A cluster without a leader accepts nothing, and a kiosk waits longer after each error. */
const PATIENCE = { timeout: 180_000, intervals: [500] };

test('a real kiosk on three nodes of NATS loses no state and no command while each node is killed in turn', async () => {
  test.setTimeout(20 * 60_000);
  const own = dataFolder();
  keep({ [Symbol.asyncDispose]: async () => own.remove() });
  const cluster = await startNatsCluster();
  keep({ [Symbol.asyncDispose]: cluster.close });
  const urls = cluster.nodes.map(({ url }) => url);
  /** The nodes, rotated so that `first` comes first. */
  const from = (first: number) => urls.map((_, index) => urls[(first + index) % urls.length] ?? '');
  const brokers = (first: number) => from(first).flatMap((url) => ['--broker', url]);
  const keyFile = join(own.path, 'operator.pem');
  const publicKey = (await fleetCommand(['keys', keyFile])).out.trim();
  serveTwoCreatives(service);
  const kiosk = await launch({
    ...kioskSettings(service, 3_600),
    fleet: { brokers: urls, commandKeys: [publicKey] },
  });
  const name = await nameOf(kiosk);
  const act = async (first: number, ...words: string[]) => {
    const signed = ['--to', 'all', '--sign-key', keyFile];
    // A block has no end.
    const valid = words[0] === 'send' ? ['--valid', '1h'] : [];
    return (await fleetCommand([...words, ...signed, ...valid, ...brokers(first)])).code;
  };
  /** What a node reports about the kiosk. */
  const seenAt = async (node: number) => {
    const { out } = await fleetCommand(['list', '--json', '--broker', urls[node] ?? '']);
    const list = JSON.parse(out || '[]') as { kiosk: string; state: Seen }[];
    return list.find((each) => each.kiosk === name)?.state;
  };
  await expect.poll(async () => (await seenAt(0))?.online, PATIENCE).toBe(true);

  const sent: number[] = [];
  for (const [index, node] of cluster.nodes.entries()) {
    for (let command = 0; command < COMMANDS; command += 1) {
      const volume = (sent.length + 1) / 100;
      const sending = act(index + command, 'send', 'volume', String(volume));
      if (command === 1) await node.kill();
      // The operator must repeat a command that was not acknowledged.
      if ((await sending) !== 0)
        await expect.poll(() => act(index + command, 'send', 'volume', String(volume)), PATIENCE).toBe(0);
      sent.push(volume);
    }
    await expect.poll(() => act(index + 1, 'block', `flight:gone-${index}`), PATIENCE).toBe(0);
    await expectMorePlays(kiosk, 3);
    await node.start();
    await cluster.ready();
  }
  await expect.poll(() => volumesOf(folder), PATIENCE).toEqual(new Set(sent));
  for (const node of cluster.nodes.keys())
    await expect
      .poll(async () => (await seenAt(node))?.blocks.all, PATIENCE)
      .toBeGreaterThanOrEqual(cluster.nodes.length);
  expect((await kiosk.plays()).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(await kiosk.terminate()).toBe(0);
  for (const node of cluster.nodes.keys())
    await expect.poll(async () => (await seenAt(node))?.online, PATIENCE).toBe(false);
});

/**
 * The volumes that were set, read from the log of actions for staff. A command that came once more after a node was
 * killed is in it too, as refused.
 */
function volumesOf(folder: string): Set<number> {
  const lines = readFileSync(join(folder, 'actions.ndjson'), 'utf8').split('\n');
  const actions = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return new Set(
    actions
      .filter(({ action, outcome }) => action === 'sound' && outcome === 'done')
      .map(({ detail }) => detail.volume),
  );
}
