import type { Beacon } from '../../shared/beacon';
import type { BeaconTries } from './beacon-tries';
import type { LiveBeacons } from './live-beacons';
import { type AskedBeacon, type BeaconOccasion, newBeacons } from './new-beacons';
import type { OutboxLedger } from './outbox-ledger';
import type { RetryUntilStored } from './retry-until-stored';

export interface ConfirmingParts {
  readonly retryUntilStored: RetryUntilStored;
  readonly ledger: OutboxLedger;
  readonly live: LiveBeacons;
  readonly tries: BeaconTries;
  readonly newId: () => string;
}

/**
 * Confirms an event, once for ever (rule 16); see `Outbox.confirmOnce`.
 * @param parts the beacons of the event, in parts that each fit into one command
 * @param inTime whether storing may still be retried
 */
export async function confirm(
  confirming: ConfirmingParts,
  instance: string,
  occasion: BeaconOccasion,
  parts: ReadonlyArray<{ readonly asked: readonly AskedBeacon[] }>,
  inTime: () => boolean,
): Promise<boolean> {
  const { retryUntilStored, newId } = confirming;
  // The same in each repetition of the command, so that a repetition does not count as an earlier confirmation.
  const by = newId();
  const queue = `instance ${instance}`;
  const [first, ...others] = parts;
  const { event: kind, moment } = occasion;
  const isConfirmed = await storeAndSend(confirming, queue, occasion, first?.asked ?? [], (beacons) =>
    retryUntilStored('confirmOnce', () => ({ instance, kind, by, at: moment.at, beacons }), inTime),
  );
  if (!isConfirmed) return false;
  for (const { asked } of others) {
    await storeAndSend(confirming, queue, occasion, asked, async (beacons) => {
      await retryUntilStored('storeBeacons', () => ({ beacons }), inTime);
      return true;
    });
  }
  return true;
}

/** False: the event was confirmed before, or could not be stored. */
async function storeAndSend(
  { ledger, live, tries, newId }: ConfirmingParts,
  queue: string,
  occasion: BeaconOccasion,
  asked: readonly AskedBeacon[],
  store: (beacons: Beacon[]) => Promise<boolean>,
): Promise<boolean> {
  const beacons = newBeacons(asked, occasion, newId);
  ledger.hold(beacons);
  ledger.pending(beacons.length);
  try {
    if (await store(beacons)) {
      const urls = beacons.filter(({ script }) => script === undefined);
      // Sent after the earlier confirmations of the same instance.
      if (urls.length > 0) live.send(queue, urls);
      for (const [index, beacon] of beacons.entries()) {
        const from = asked[index];
        if (from && 'script' in from) void tries.runScript(beacon, from.script);
      }
      return true;
    }
    ledger.pending(-beacons.length);
  } catch (error) {
    ledger.lose(beacons.length, 'the books took no confirmation', error);
  }
  ledger.letGo(beacons);
  return false;
}
