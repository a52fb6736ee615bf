import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WebContents } from 'electron';
import type { Clock } from '../../../shared/clock';
import type { GuestListener } from '../../beacons/js-guests';
import { limitedLog } from '../../limited-log';
import type { BannerListener } from '../../native/native-banners';
import { GuestList, type GuestListParts } from './guest-list';
import { createPageLeads } from './page-leads';
import {
  notifyViewable,
  reportBroken,
  watchBanner,
  watchBeacon,
  watchDrawn,
  watchPage,
} from './watch-guests';

/** Long, because a busy machine starts processes slowly, ms. */
const ATTACH_DEADLINE_MS = 15_000;
/** A guest that still exists this long after its end is killed, ms. A banner stays for 1 s of it (layer-view.tsx). */
const END_GRACE_MS = 2_000;
/** Most errors of one guest that are passed on, and most characters of each. */
const MAX_ERRORS = 10;
const MAX_ERROR_LENGTH = 200;

/**
 * Creates guests for JavaScript beacons (see `GuestHost`), banners and pages (rule 17). Each has its own partition,
 * egress proxy and random origin, which only that proxy serves, so that guests cannot interfere with each other.
 */
export function createGuests(options: GuestListParts & { readonly clock: Pick<Clock, 'monotonic'> }) {
  const { stage, schedule, log } = options;
  const scriptErrors = limitedLog(options);
  const guests = new GuestList(options);
  const leads = createPageLeads(options.clock);

  /** Opens a guest that the stage holds; a crash is reported to the stage. */
  async function openForStage(
    kind: 'banner' | 'page',
    id: string,
    content: string,
    onError: (detail: string) => void,
    watch: (
      url: string,
      contents: WebContents,
      scriptFailed: (detail: string) => void,
      measure: (word: string) => void,
    ) => void,
  ) {
    let errors = 0;
    const scriptFailed = (detail: string) => {
      errors += 1;
      if (errors <= MAX_ERRORS) onError(detail.slice(0, MAX_ERROR_LENGTH));
    };
    const listener: GuestListener = {
      reported(word, detail) {
        if (word !== 'ran') scriptFailed(detail ?? word);
      },
      blocked: scriptFailed,
      crashed(reason) {
        log.warn(`${kind === 'page' ? 'a page in the loop' : 'a banner'} ended`, { reason });
        reportBroken(stage, opened.url, `its process ended: ${reason}`);
      },
    };
    const opened = await guests.open(kind, id, content, listener, (contents, guest, measure) => {
      watchDrawn(options, guest, contents);
      watch(guest.url, contents, scriptFailed, measure);
    });
    return { url: opened.url, partition: opened.visit.partition };
  }

  return {
    /** Removes the pages and banners at these addresses and kills their processes. */
    endDrawn: guests.endDrawn,
    isWaiting: guests.isWaiting,
    /** Kills all script guests: one may have harmed the kiosk (rule 11). Returns whether there were any. */
    endScripts() {
      const scripts = guests.all.filter(({ kind, contents }) => kind === 'beacon' && contents !== null);
      for (const { visit } of scripts) visit.kill();
      return scripts.length > 0;
    },
    async open(id: string, script: string, listener: GuestListener) {
      const appeared = Promise.withResolvers<void>();
      const { url, visit } = await guests.open('beacon', id, script, listener, (contents) => {
        watchBeacon(listener, contents);
        appeared.resolve();
      });
      const cancel = schedule(ATTACH_DEADLINE_MS, () =>
        appeared.reject(new Error('the guest did not appear in time')),
      );
      stage.tell('guest', { type: 'open', guest: id, url, partition: visit.partition });
      await appeared.promise.finally(cancel);
    },
    /** Opens a guest for a banner of markup, which a native card will hold; `close` takes its id. */
    openBanner: (id: string, html: string, banner: BannerListener) =>
      openForStage('banner', id, html, banner.scriptFailed, (url, contents, _scriptFailed, measure) =>
        watchBanner(options, url, banner, contents, measure),
      ),
    /** Notifies a banner whether it is on the screen; does nothing if the banner is closed. */
    showBanner(id: string, isShown: boolean) {
      // An earlier guest of the same banner may still be closing.
      const guest = guests.all.findLast((each) => each.id === id);
      if (guest?.contents) notifyViewable(guest.contents, isShown);
    },
    /**
     * Opens a guest for a page of the loop (see `OpenPage`). The stage is notified when the page has painted or failed.
     * The guest is closed when its element is removed, or if none was attached when the next page is opened.
     */
    async openPage(path: string, onError: (detail: string) => void) {
      const html = await readFile(path, 'utf8').catch(() => null);
      if (html === null) return null;
      const failed = (detail: string) => {
        onError(detail);
        scriptErrors.warn('a script of a page failed', { file: basename(path), detail });
      };
      const page = await openForStage('page', '', html, failed, (url, contents, scriptFailed) =>
        watchPage(options, url, scriptFailed, leads.loads(path), contents),
      );
      const leadMs = leads.of(path);
      return leadMs === undefined ? page : { ...page, leadMs };
    },
    placeNeeded: (id: string) =>
      new Promise<void>((done) => {
        const guest = guests.all.find((each) => each.id === id);
        if (guest) guest.giveUpPlace = done;
        else done();
      }),
    close(id: string, stuck: boolean) {
      stage.tell('guest', { type: 'close', guest: id });
      for (const guest of guests.all) {
        if (guest.id !== id) continue;
        if (guest.contents === null) guests.forget(guest);
        else if (stuck) guest.visit.kill();
        else schedule(END_GRACE_MS, guest.visit.kill);
      }
    },
  };
}
