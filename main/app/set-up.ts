import { join } from 'node:path';
import { openSigningKey } from '../admin/signing-key';
import type { Base } from './core';
import { httpOf, thisDevice } from './network';
import { openOverlay } from './overlay';

type Outcome = 'settings' | 'demo';

/**
 * The set-up of an installed kiosk without settings, which must not show demo ads in a store. Fills the
 * screen until its settings are stored (`settings`) or the demo is chosen (`demo`). The windows stay open for
 * the kiosk that follows.
 *
 * @param language of the machine; another can be chosen on the screen
 */
export async function firstSetUp(base: Base, language: string): Promise<Outcome> {
  const { dataDirectory, lifecycle, clock, log } = base;
  const outcome = Promise.withResolvers<Outcome>();
  const admin = await openOverlay(base, {
    key: await openSigningKey(join(dataDirectory, 'signing-key.pem'), log),
    kiosk: null,
    settingsFile: null,
    // Not used: the set-up is open already.
    gesture: { corner: 'top-left', taps: 5, withinSeconds: 3 },
    shortcut: null,
    pinHash: null,
    ...{ language, rotation: 0 },
    check: { httpOf: httpOf(clock, null), device: await thisDevice() },
    machine: {
      restartPlayer: () => outcome.resolve('settings'),
      tryDemo: () => outcome.resolve('demo'),
    },
  });
  lifecycle.keep({ dispose: admin.close });
  log.warn('no settings were found: the kiosk waits to be set up on its screen');
  const taken = await outcome.promise;
  await admin.close();
  return taken;
}
