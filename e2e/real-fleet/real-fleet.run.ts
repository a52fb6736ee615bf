import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { startMosquitto } from '../../tools/fleet/brokers/mosquitto';
import { readLiveLink } from '../../tools/fleet/report/live-link';
import { type ChaosKiosk, openChaosKiosk } from '../chaos/chaos-kiosk';
import { startOneServer } from '../chaos/receiver';
import { shipAll, until } from '../chaos/ship-all';
import { fleetCommand, fleetTool } from '../fleet-cli';
import { acceleratedPlaylist } from '../kills/accelerated-playlist';
import { dataFolder } from '../kiosk';

const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];
const args = JSON.parse(process.env.ENDCAP_FLEET_ARGS ?? '[]') as string[];
/** Number of plays of each real kiosk before the simulated ones start. */
const PLAYS = 100;

test(`${displays.length} real kiosks beside simulated ones`, async () => {
  test.setTimeout(0);
  const folder = dataFolder();
  const service = await startDemoService();
  acceleratedPlaylist(service).serve(0);
  const receiver = await startOneServer('endcap_simulation');
  const broker = await startMosquitto();
  const kiosks: ChaosKiosk[] = [];
  try {
    for (const display of displays)
      kiosks.push(await openChaosKiosk(service, receiver, 0, display, broker.url));
    for (const kiosk of kiosks) kiosk.start(true);
    for (const kiosk of kiosks)
      await until('a kiosk plays', kiosks, async () => (await kiosk.plays()).length >= PLAYS);
    const link = join(folder.path, 'live-link.json');
    const isTold = () => tellLink(broker.url, link);
    await until('the live link tells of all kiosks', kiosks, async () => (await isTold()) === kiosks.length);
    const books = await shipAll(kiosks);
    const file = join(folder.path, 'real-kiosks.json');
    const told = kiosks.map(({ kiosk, publicKey }) => ({ publicKey, plays: books.get(kiosk) ?? [] }));
    writeFileSync(file, JSON.stringify(told));
    const url = receiver.shards[0]?.[0]?.url ?? '';
    const given = ['--url', url, '--real-books', file, '--live-link', link];
    const { code, lines, errors } = await fleetTool('fleet', ...given, ...args);
    process.stderr.write(errors);
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(code).toBe(0);
  } finally {
    for (const kiosk of kiosks) await kiosk.close();
    await broker.close();
    await receiver.close();
    await service.close();
    folder.remove();
  }
});

/** Stores what an operator sees of the kiosks; resolves with how many are online and show something. */
async function tellLink(broker: string, file: string): Promise<number> {
  const { out } = await fleetCommand(['list', '--json', '--broker', broker]);
  writeFileSync(file, out);
  return readLiveLink(file).filter(({ state, now }) => state?.online === true && now?.now != null).length;
}
