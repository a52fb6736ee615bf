import { setTimeout as wait } from 'node:timers/promises';
import mqtt from 'mqtt';
import { createFleetView, type KioskView } from '../../../main/cli/fleet-kiosks';
import { HOLDS_ALL, startMosquitto } from '../brokers/mosquitto';
import { runStormKiosks } from '../storm/storm-kiosks';

/** How long kiosks have to tell what they show, ms. */
const MAX_MS = 60_000;
const NOW_EVERY_MS = 500;

/** What simulated kiosks of these ids tell a private broker. Rejects if they do not come online. */
export async function simulatedLink(names: readonly string[], publicKey: string): Promise<KioskView[]> {
  const broker = await startMosquitto(HOLDS_ALL);
  const client = await mqtt.connectAsync(broker.url);
  const share = { url: broker.url, names, publicKey, nowEveryMs: NOW_EVERY_MS, firstSpanMs: NOW_EVERY_MS };
  const end = runStormKiosks(share);
  try {
    const view = createFleetView('endcap');
    client.on('message', (topic, payload) => void view.take(topic, payload));
    await client.subscribeAsync(['endcap/+/state', 'endcap/+/now'], { qos: 1 });
    const areAllTold = () =>
      names.every((name) => view.kiosks.get(name)?.state?.online && view.kiosks.get(name)?.now?.now != null);
    for (const deadline = Date.now() + MAX_MS; !areAllTold(); await wait(50))
      if (Date.now() > deadline) throw new Error('expected all simulated kiosks at their broker, got some');
    return [...view.kiosks.values()];
  } finally {
    end();
    await client.endAsync(true);
    await broker.close();
  }
}
