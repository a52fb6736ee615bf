import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fleet } from '../../../main/cli/testing/run-fleet';
import { type StandInKiosk, startStandIn } from '../../../main/cli/testing/stand-in-kiosk';
import { type NatsCluster, startNatsCluster } from './nats-cluster';

const NAMES = Array.from({ length: 6 }, (_, index) => `aaaa00000000000${index}`);

const folder = mkdtempSync(join(tmpdir(), 'endcap-brokers-'));
const keyFile = join(folder, 'key.pem');
let publicKey = '';
let cluster: NatsCluster;
let kiosks: StandInKiosk[] = [];

beforeAll(async () => {
  publicKey = (await fleet(['keys', keyFile])).stdout.trim();
});
beforeEach(async () => {
  cluster = await startNatsCluster();
  kiosks = [];
  for (const [index, name] of NAMES.entries())
    kiosks.push(await startStandIn(urls(index), name, { publicKey }));
});
afterEach(async () => {
  for (const kiosk of kiosks) await kiosk.close();
  await cluster?.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The addresses of all nodes, rotated so that `first` comes first. */
function urls(first: number): string[] {
  const all = cluster.nodes.map(({ url }) => url);
  return all.map((_, index) => all[(first + index) % all.length] ?? '');
}
const brokers = (first = 0) => urls(first).flatMap((url) => ['--broker', url]);
const signed = (first: number, ...words: string[]) =>
  fleet([...words, '--to', 'all', '--sign-key', keyFile, ...brokers(first)]);
const send = (first: number, ...words: string[]) => signed(first, 'send', ...words, '--valid', '1h');

interface ListedKiosk {
  readonly kiosk: string;
  readonly state: { readonly online: boolean } | null;
}

/** The kiosks and their states, as retained by this node. */
async function listAt(node: number): Promise<readonly ListedKiosk[]> {
  const { stdout } = await fleet(['list', '--json', '--broker', cluster.nodes[node]?.url ?? '']);
  return JSON.parse(stdout === '' ? '[]' : stdout);
}

describe('a fleet on three nodes of NATS', () => {
  it('sends a returning kiosk the commands and blocks from while a node was down', async () => {
    const away = kiosks.pop();
    await away?.close();
    expect((await send(0, 'pause', '7')).exitCode).toBe(0);
    await cluster.nodes[0]?.kill();
    await expect.poll(async () => (await signed(1, 'block', 'flight:f1')).exitCode).toBe(0);
    await expect.poll(async () => (await send(1, 'pause', '8')).exitCode).toBe(0);
    const back = await startStandIn(urls(1), NAMES.at(-1) ?? '', { publicKey });
    kiosks.push(back);
    await expect
      .poll(() => new Set(back.commands.map(({ command }) => JSON.stringify(command))))
      .toEqual(new Set(['{"name":"pause","minutes":7}', '{"name":"pause","minutes":8}']));
    await expect.poll(() => back.blocks.at(-1)).toMatchObject({ blocks: [{ kind: 'flight', id: 'f1' }] });
  });

  it('shows a kiosk offline after its plug is pulled, even if its node is killed next', async () => {
    kiosks[0]?.die();
    const isOnline = async (node: number) => {
      const list = await listAt(node);
      return list.find(({ kiosk }) => kiosk === NAMES[0])?.state?.online;
    };
    await expect.poll(() => isOnline(1)).toBe(false);
    await cluster.nodes[0]?.kill();
    await expect.poll(() => isOnline(1)).toBe(false);
    await expect.poll(() => isOnline(2)).toBe(false);
  });
});
