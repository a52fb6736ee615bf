import { join } from 'node:path';
import { DEMO_PIN } from '../../shared/demo-pin';
import type { Log } from '../../shared/log';
import { DEMO_PIN_HASH } from '../admin/demo-pin';
import { readSettings } from '../settings/find-settings';
import { Secret } from '../settings/secret';
import type { Settings } from '../settings/settings';
import { type EmbeddedService, startEmbeddedService } from './embedded-service';

/** From source without settings: the embedded ad service, and settings that use it. */
export async function startDemo(
  programs: string,
  dataDirectory: string,
  log: Log,
): Promise<{ settings: Settings; service: EmbeddedService }> {
  const service = await startEmbeddedService(
    join(programs, 'demo-service.js'),
    join(dataDirectory, 'demo-port'),
    log,
  );
  const read = readSettings(service.settings, 'the embedded demo');
  if (read.kind === 'fault') throw new Error(read.message);
  log.info(`staff overlay: five taps in the top left corner or Ctrl+Shift+F12, PIN ${DEMO_PIN}`);
  const admin = { ...read.settings.admin, pinHash: new Secret(DEMO_PIN_HASH) };
  return { settings: { ...read.settings, admin }, service };
}
