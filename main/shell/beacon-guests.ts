import { readFile } from 'node:fs/promises';
import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import type { GuestHost } from '../beacons/js-guests';
import type { OpenPage } from '../playback/slot-ad';
import type { Fence } from '../service/fence/fence';
import type { Schedule } from '../service/schedule';
import { type DrawnGuests, watchDrawnGuests } from './drawn-guests';
import { type BannerListener, type GuestPartition, openGuestPartition } from './guest-partition';
import type { AdmitGuest } from './lock-down';
import type { KioskScreen } from './supervised-windows';

export interface BeaconGuests extends GuestHost {
  /** A guest for a banner of markup; its id leads to `close`. */
  openBanner(
    guest: string,
    html: string,
    listener: BannerListener,
  ): Promise<{ url: string; partition: string }>;
  /** A guest for a page of the loop, from a verified file; null when that cannot be read. */
  readonly openPage: OpenPage;
  /** A guest was attached to the kiosk window. */
  attached(contents: WebContents): void;
  /** Ends the pages and banners at these addresses. */
  readonly endDrawn: DrawnGuests['end'];
}

/** Guests for JavaScript beacons. Their partition and its fence are opened with the first of them. */
export function keepBeaconGuests(options: {
  readonly stage: Pick<KioskScreen, 'owns' | 'guest'>;
  readonly admitGuests: (policy: AdmitGuest) => void;
  /** A page or banner hangs, or died, and not because main ended it (rule 11). */
  readonly onHarm: (url: string, cause: 'hang' | 'guest') => void;
  readonly fence: Fence;
  readonly schedule: Schedule;
  readonly log: Log;
}): BeaconGuests {
  const { stage, log } = options;
  let partition: GuestPartition | null = null;
  let opening: Promise<GuestPartition> | null = null;
  let pages = 0;
  const drawn = watchDrawnGuests({
    tellBroken: (url, detail) => stage.guest({ type: 'broken', url, detail }),
    onHarm: options.onHarm,
    schedule: options.schedule,
    log,
  });
  options.admitGuests(
    (owner, preferences, params) => stage.owns(owner) && (partition?.admit(preferences, params) ?? false),
  );

  async function openPartition(): Promise<GuestPartition> {
    const fenced = new Set<string>();
    const { startFenceProxy } = await import('../service/fence/fence-proxy');
    const proxy = await startFenceProxy({
      fence: options.fence,
      purpose: 'guest',
      schedule: options.schedule,
      log,
      onFenced: (hostname) => fenced.add(hostname),
    });
    partition = await openGuestPartition({
      proxyPort: proxy.port,
      isFenced: (hostname) => fenced.has(hostname),
      send: stage.guest,
      drawn,
      schedule: options.schedule,
      log,
    });
    return partition;
  }

  return {
    async open(guest, script, listener) {
      opening ??= openPartition();
      await (await opening).open(guest, script, listener);
    },
    async openBanner(guest, html, listener) {
      opening ??= openPartition();
      return (await opening).openBanner(guest, html, listener);
    },
    async openPage(path) {
      opening ??= openPartition();
      const [guests, html] = await Promise.all([opening, readFile(path, 'utf8').catch(() => null)]);
      pages += 1;
      return html === null ? null : guests.openPage(`page-${pages}`, html);
    },
    close: (guest, stuck) => partition?.close(guest, stuck),
    attached: (contents) => partition?.attached(contents),
    endDrawn: drawn.end,
  };
}
