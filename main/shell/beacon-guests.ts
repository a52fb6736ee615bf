import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WebContents } from 'electron';
import type { GuestHost, GuestListener } from '../beacons/js-guests';
import type { OpenPage } from '../playback/slot-ad';
import type { DrawnGuests } from './drawn-guests';
import { type BannerListener, closeGuest, crashGuest } from './guest';
import { GuestList } from './guest-list';
import { type GuestListParts, notifyViewable, reportBroken } from './watch-guests';

/** Long, because a busy machine starts processes slowly, ms. */
const ATTACH_DEADLINE_MS = 15_000;
/** A guest that still exists this long after its element was removed is crashed, ms. */
const END_GRACE_MS = 1_000;

export interface BeaconGuests extends GuestHost {
  /** Opens a guest for a banner of markup, which a native card will hold; `close` takes its id. */
  openBanner(
    guest: string,
    html: string,
    listener: BannerListener,
  ): Promise<{ url: string; partition: string }>;
  /** Notifies a banner whether it is on the screen; does nothing if the banner is closed. */
  showBanner(guest: string, isShown: boolean): void;
  /**
   * Opens a guest for a page of the loop, from a verified file; null if the file cannot be read. The stage is
   * notified when the page has painted or failed. The guest is closed when its element is removed, or if none was
   * attached in time.
   */
  readonly openPage: OpenPage;
  /** A guest was attached to the kiosk window. */
  attached(contents: WebContents): void;
  /** Removes the pages and banners at these addresses and kills their processes. */
  readonly endDrawn: DrawnGuests['end'];
  /** Kills all script guests: one may have harmed the kiosk (rule 11). Returns whether there were any. */
  endScripts(): boolean;
}

/**
 * Creates guests for JavaScript beacons, banners and pages (rule 17). Each has its own partition, egress proxy and
 * random origin, which only that proxy serves, so that guests cannot interfere with each other.
 */
export function createBeaconGuests(options: GuestListParts): BeaconGuests {
  const { stage, schedule, log } = options;
  const guests = new GuestList(options);

  async function openForStage(
    kind: 'banner' | 'page',
    id: string,
    content: string,
    onError: (detail: string) => void,
    banner?: BannerListener,
  ): Promise<{ url: string; partition: string }> {
    let url = '';
    const scriptFailed = firstErrors(onError);
    const listener = stageListener({ stage, log }, kind, () => url, scriptFailed);
    const guest = await guests.open(kind, id, content, listener, { banner: banner ?? null, scriptFailed });
    url = guest.url;
    return { url, partition: guest.visit.partition };
  }

  return {
    attached: (contents) => guests.attached(contents),
    endDrawn: guests.endDrawn,
    endScripts() {
      const scripts = guests.all.filter(({ kind, contents }) => kind === 'beacon' && contents !== null);
      for (const guest of scripts) closeGuest(guest);
      return scripts.length > 0;
    },
    async open(id, script, listener) {
      const appeared = Promise.withResolvers<void>();
      const guest = await guests.open('beacon', id, script, listener, { attached: appeared.resolve });
      const { url, visit } = guest;
      const cancel = schedule(ATTACH_DEADLINE_MS, () =>
        appeared.reject(new Error('the guest did not appear in time')),
      );
      stage.guest({ type: 'open', guest: id, url, partition: visit.partition });
      await appeared.promise.finally(cancel);
    },
    openBanner: (id, html, banner) => openForStage('banner', id, html, banner.scriptFailed, banner),
    showBanner(id, isShown) {
      // An earlier guest of the same banner may still be closing.
      const guest = guests.all.findLast((each) => each.id === id);
      if (guest?.contents) notifyViewable(guest.contents, isShown);
    },
    async openPage(path, onError) {
      const html = await readFile(path, 'utf8').catch(() => null);
      if (html === null) return null;
      return openForStage('page', '', html, (detail) => {
        onError(detail);
        log.warn('a script of a page failed', { file: basename(path), detail });
      });
    },
    linger(id, ms) {
      return new Promise((done) => {
        const guest = guests.all.find((each) => each.id === id);
        if (!guest) {
          done();
          return;
        }
        const end = () => {
          cancel();
          guest.endLingering = null;
          done();
        };
        const cancel = schedule(ms, end);
        guest.endLingering = end;
      });
    },
    close(id, stuck) {
      stage.guest({ type: 'close', guest: id });
      for (const guest of guests.all) {
        if (guest.id !== id) continue;
        if (guest.contents === null) guests.forget(guest);
        else if (stuck) crashGuest(guest);
        else schedule(END_GRACE_MS, () => crashGuest(guest));
      }
    },
  };
}

const MOST_ERRORS = 10;

/** The listener of a guest that the stage holds: errors go to `scriptFailed`, and a crash is reported to the stage. */
function stageListener(
  { stage, log }: Pick<GuestListParts, 'stage' | 'log'>,
  kind: 'banner' | 'page',
  url: () => string,
  scriptFailed: (detail: string) => void,
): GuestListener {
  return {
    said(word, detail) {
      if (word !== 'ran') scriptFailed(detail ?? word);
    },
    held: scriptFailed,
    crashed(reason) {
      log.warn(`${kind === 'page' ? 'a page in the loop' : 'a banner'} ended`, { reason });
      reportBroken(stage, url(), `its process ended: ${reason}`);
    },
  };
}

/** Passes on the first `MOST_ERRORS` errors of a guest, at most 200 characters of each. */
function firstErrors(onError: (detail: string) => void): (detail: string) => void {
  let lines = 0;
  return (detail) => {
    lines += 1;
    if (lines <= MOST_ERRORS) onError(detail.slice(0, 200));
  };
}
