import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { type ChaosKiosk, openChaosKiosk } from '../chaos/chaos-kiosk';
import { fleetCommand } from '../chaos/fleet-commands';
import { startOneServer } from '../chaos/receiver';
import { shipAll, until } from '../chaos/ship-all';
import { acceleratedPlaylist } from '../kills/accelerated-playlist';
import { dataFolder } from '../kiosk';

const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];
const args = JSON.parse(process.env.ENDCAP_FLEET_ARGS ?? '[]') as string[];
/** Each real kiosk plays so much before the simulated ones come beside it. */
const PLAYS = 100;

test(`${displays.length} real kiosks beside simulated ones`, async () => {
  test.setTimeout(0);
  const folder = dataFolder();
  const service = await startDemoService();
  acceleratedPlaylist(service).serve(0);
  const receiver = await startOneServer('endcap_simulation');
  const kiosks: ChaosKiosk[] = [];
  try {
    for (const display of displays) kiosks.push(await openChaosKiosk(service, receiver, 0, display));
    for (const kiosk of kiosks) kiosk.start(true);
    for (const kiosk of kiosks)
      await until('a kiosk plays', kiosks, async () => (await kiosk.plays()).length >= PLAYS);
    const books = await shipAll(kiosks);
    const file = join(folder.path, 'real-kiosks.json');
    const told = kiosks.map(({ kiosk, publicKey }) => ({ publicKey, plays: books.get(kiosk) ?? [] }));
    writeFileSync(file, JSON.stringify(told));
    const url = receiver.shards[0]?.[0]?.url ?? '';
    const { code, lines, errors } = await fleetCommand('fleet', '--url', url, '--real-books', file, ...args);
    process.stderr.write(errors);
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(code).toBe(0);
  } finally {
    for (const kiosk of kiosks) await kiosk.close();
    await receiver.close();
    await service.close();
    folder.remove();
  }
});
