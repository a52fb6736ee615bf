import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { constants as osConstants, setPriority } from 'node:os';
import { basename } from 'node:path';
import type { WebContents, WebPreferences } from 'electron';
import type { Log } from '../../shared/log';
import { type GuestKind, guestAnswer } from '../beacons/guest-page';
import type { GuestHost, GuestListener } from '../beacons/js-guests';
import { VIEWABLE_EVENTS } from '../beacons/mraid';
import type { OpenPage } from '../playback/slot-ad';
import type { Fence } from '../service/fence/fence';
import type { FenceProxy } from '../service/fence/fence-proxy';
import { GUEST_BUDGET } from '../service/fence/request-budget';
import type { Schedule } from '../service/schedule';
import { type DrawnGuests, watchDrawnGuests } from './drawn-guests';
import { killProcess } from './end-process';
import { noteEndedByMain } from './ended-by-main';
import { frameProcesses } from './frame-processes';
import { watchMemory } from './guest-memory';
import { awaitPaint, contentSize, isBareGround, OWN_WORLD } from './guest-paint';
import { type LockDown, UNTRUSTED_PAGE } from './lock-down';
import { type Excess, GUEST_BOUNDS } from './memory-bounds';
import { forbidChoosers } from './no-choosers';
import { endTheLoud } from './noise';
import { createPartitionPool, type Visit } from './partition-pool';
import type { KioskScreen } from './supervised-windows';

/** At most so many guests at a time; each has a process (rule 17). */
const MOST_GUESTS = 8;
/** A machine that is busy takes its time to start a process. */
const ATTACH_DEADLINE_MS = 15_000;
/** What has not ended this long after its element went is crashed, ms. */
const LAST_WORDS_MS = 1_000;
/**
 * A page that the stage does not hold by then is not wanted any more, ms. A banner waits for the slot before it, however
 * long that is: it has no process until then, and one that is not wanted leaves when another needs its place.
 */
const UNHELD_PAGE_MS = 15_000;
const MOST_FAULTS = 10;
/** A banner that has painted nothing so long after its load may be waiting to be viewable, ms. */
const DRAWS_BY_ITSELF_MS = 600;

/** What a banner does (rules 17 and 18). */
export interface BannerListener {
  /** Its markup begins to load. */
  loads(): void;
  /** It was seen to have painted something. */
  painted(): void;
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It wanted to go somewhere; it was held. */
  navigated(url: string): void;
  /** A script of it failed, or did what its policy holds; `detail` in a few words. Told ten times at most. */
  faulty(detail: string): void;
}

export interface BeaconGuests extends GuestHost {
  /** A guest for a banner of markup, which a native card will hold; its id leads to `close`. */
  openBanner(
    guest: string,
    html: string,
    listener: BannerListener,
  ): Promise<{ url: string; partition: string }>;
  /** Tells a banner that it is on the screen, or not any more; one that is gone hears nothing. */
  showBanner(guest: string, isShown: boolean): void;
  /**
   * A guest for a page of the loop, from a verified file; null when that cannot be read. What is
   * seen of it is told to the stage; it is closed when its element goes, or never came.
   */
  readonly openPage: OpenPage;
  /** A guest was attached to the kiosk window. */
  attached(contents: WebContents): void;
  /** Ends the pages and banners at these addresses. */
  readonly endDrawn: DrawnGuests['end'];
  /** Ends all scripts, one of which may have harmed the kiosk (rule 11). Answers whether there were any. */
  endScripts(): boolean;
}

interface Guest {
  /** What whoever opened it calls it. */
  readonly id: string;
  readonly kind: GuestKind;
  readonly url: string;
  readonly visit: Visit;
  readonly listener: GuestListener;
  readonly banner: BannerListener | null;
  /** Hears of errors of its scripts and violations of its policy; null of a beacon, which has its own ways. */
  readonly faulty: ((detail: string) => void) | null;
  readonly attached: () => void;
  contents: WebContents | null;
  /** Ends its lingering at once; null while it does not linger. */
  hurry: (() => void) | null;
}

/**
 * Guests for JavaScript beacons, banners and pages (rule 17): each with a partition, an egress
 * proxy and a random origin of its own, which that proxy alone answers for. So what one guest
 * stores, asks or floods is nothing to another.
 */
export function keepBeaconGuests(options: {
  readonly stage: Pick<KioskScreen, 'owns' | 'guest'>;
  readonly lockDown: Pick<LockDown, 'admitGuests' | 'letFramesBrowse'>;
  /** A page or banner hangs, or died, and not because main ended it (rule 11). */
  readonly onHarm: (url: string, cause: 'hang' | 'guest') => void;
  readonly fence: Fence;
  /** Of everything that guests send (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly log: Log;
}): BeaconGuests {
  const { stage, userAgent, schedule, log } = options;
  /** In the order in which they were opened. */
  const guests = new Set<Guest>();
  const drawn = watchDrawnGuests({
    tellBroken: (url, detail) => stage.guest({ type: 'broken', url, detail }),
    onHarm: options.onHarm,
    schedule,
    log,
  });
  const pool = createPartitionPool({
    ...{ name: 'guest', size: MOST_GUESTS, userAgent, leaves: 'hosts' },
    onFull: makeRoom,
    ...{ schedule, log },
  });
  const lookAtMemory = watchMemory(watched, GUEST_BOUNDS, schedule);
  options.lockDown.admitGuests(
    (owner, preferences, params) => stage.owns(owner) && admit(preferences, params),
  );

  function* watched() {
    for (const guest of guests) {
      if (guest.contents === null) continue;
      yield {
        processes: guest.visit.processes,
        end(excess: Excess) {
          log.warn('a guest took too much memory; it was ended', { kind: guest.kind, ...excess });
          endAll(guest);
        },
      };
    }
  }

  /** One that only lingers leaves first, then one that the stage has not taken. */
  function makeRoom(): void {
    const lingering = [...guests].find(({ hurry }) => hurry !== null);
    if (lingering) {
      lingering.hurry?.();
      return;
    }
    const unheld = [...guests].find(({ kind, contents }) => kind !== 'beacon' && contents === null);
    if (unheld) forget(unheld);
  }

  function crash({ contents }: Guest): void {
    if (contents?.isDestroyed() !== false) return;
    noteEndedByMain(contents);
    contents.forcefullyCrashRenderer();
  }

  /** Its frames of other sites too, which do not end with its page. */
  function endAll(guest: Guest): void {
    if (guest.contents === null) return;
    const processes = frameProcesses(guest.contents);
    crash(guest);
    for (const pid of processes) killProcess(pid);
  }

  function forget(guest: Guest): void {
    guests.delete(guest);
    guest.visit.leave();
  }

  async function openGuest(
    kind: GuestKind,
    id: string,
    content: string,
    listener: GuestListener,
    more: Partial<Pick<Guest, 'banner' | 'faulty' | 'attached'>> = {},
  ): Promise<Guest> {
    const host = `${randomUUID()}.localhost`;
    const openProxy = async (password: string): Promise<FenceProxy> => {
      const { startFenceProxy } = await import('../service/fence/fence-proxy');
      return startFenceProxy({
        fence: kind === 'page' ? NO_NETWORK : withoutGuests(options.fence),
        purpose: 'guest',
        password,
        schedule,
        log,
        ownSite: { host, answer: (url) => guestAnswer(url, kind, content, listener) },
        onFenced: (hostname) => listener.held(`the fence: ${hostname}`),
        budget: GUEST_BUDGET,
        onFlood() {
          log.warn('a guest flooded the network; it was ended', { kind });
          crash(guest);
        },
      });
    };
    const visit = await pool.enter(openProxy);
    const guest: Guest = {
      id,
      kind,
      url: `http://${host}/`,
      visit,
      listener,
      banner: more.banner ?? null,
      faulty: more.faulty ?? null,
      attached: more.attached ?? (() => {}),
      contents: null,
      hurry: null,
    };
    guests.add(guest);
    // Superseded before the stage held it: nothing of it will ever go.
    if (kind === 'page')
      schedule(UNHELD_PAGE_MS, () => {
        if (guest.contents === null) forget(guest);
      });
    return guest;
  }

  function admit(preferences: WebPreferences, params: Record<string, string>): boolean {
    const guest = [...guests].find(({ url, contents }) => url === params.src && contents === null);
    if (!guest || params.partition !== guest.visit.partition) return false;
    // Nothing of what the page asked for is kept: the preferences are built anew.
    for (const name of Object.keys(preferences)) delete (preferences as Record<string, unknown>)[name];
    Object.assign(preferences, {
      ...UNTRUSTED_PAGE,
      autoplayPolicy: 'document-user-activation-required',
      partition: guest.visit.partition,
    } satisfies WebPreferences);
    return true;
  }

  function attached(contents: WebContents): void {
    const guest = [...guests].find(
      (each) => each.visit.session === contents.session && each.contents === null,
    );
    if (!guest) {
      // It has left since it was admitted.
      contents.close();
      return;
    }
    guest.contents = contents;
    guest.visit.hold(contents);
    lookAtMemory();
    contents.setAudioMuted(true);
    const measure = endTheLoud(contents, schedule, log);
    contents.once('destroyed', () => forget(guest));
    contents.on('render-process-gone', (_event, { reason }) => guest.listener.crashed(reason));
    if (guest.kind !== 'page') options.lockDown.letFramesBrowse(contents);
    if (guest.kind !== 'beacon') drawn.watch(guest.url, contents);
    if (guest.kind === 'page') watchPage(guest, contents);
    if (guest.kind === 'beacon') watchBeacon(guest, contents);
    if (guest.banner) watchBanner(guest, guest.banner, contents, measure);
    guest.attached();
  }

  function watchBeacon({ listener }: Guest, contents: WebContents): void {
    // Endless loops of four scripts must not take the page's frames their time (rule 17).
    contents.on('did-start-navigation', () => giveWay(contents.getOSProcessId()));
    contents.on('will-frame-navigate', ({ url, isMainFrame }) => {
      if (isMainFrame) listener.held(`it went to ${originOf(url)}`);
    });
    contents.setWindowOpenHandler(({ url }) => {
      listener.held(`it opened ${originOf(url)}`);
      return { action: 'deny' };
    });
  }

  /** A banner alone of all guests can be tapped. Its page is on its way, and none is there yet. */
  function watchBanner(
    { url: own }: Guest,
    banner: BannerListener,
    contents: WebContents,
    measure: (word: string) => void,
  ): void {
    forbidChoosers(contents, log);
    banner.loads();
    let hasPainted = false;
    // Many MRAID ads draw nothing until they are viewable: such a one is told so when its page is there.
    contents.once('did-finish-load', () =>
      schedule(DRAWS_BY_ITSELF_MS, () => {
        if (!hasPainted) tellViewable(contents, true);
      }),
    );
    contents.once('dom-ready', () => {
      const painted = async () => {
        hasPainted = true;
        const size = await contentSize(contents);
        stage.guest({ type: 'painted', url: own, size });
        banner.painted();
      };
      void awaitPaint(contents, schedule, () => void painted(), isBareGround);
    });
    contents.on('input-event', (_event, { type }) => banner.input(type));
    // Held where all contents are; `will-navigate` does not come any more for what was held.
    contents.on('will-frame-navigate', ({ url, isMainFrame }) => {
      if (isMainFrame) banner.navigated(url);
    });
    contents.setWindowOpenHandler(({ url }) => {
      measure(url);
      banner.navigated(url);
      return { action: 'deny' };
    });
  }

  /** Tells the stage what is seen of a page. */
  function watchPage({ url, faulty }: Guest, contents: WebContents): void {
    // Nothing may be added to its document, so what the browser itself says of it is heard.
    contents.on('console-message', ({ level, message }) => {
      if (level === 'error' && isGuestError(message)) faulty?.(message);
    });
    contents.once('did-finish-load', () => {
      void awaitPaint(contents, schedule, () => stage.guest({ type: 'painted', url, size: null }));
    });
    contents.on('did-fail-load', (_event, _code, detail, _url, isMainFrame) => {
      if (isMainFrame) tellBroken(url, `it could not be loaded: ${detail}`);
    });
    // It may have closed itself; a layer that let go of it hears nothing any more.
    contents.once('destroyed', () => tellBroken(url, 'it is closed'));
  }

  const tellBroken = (url: string, detail: string) =>
    stage.guest({ type: 'broken', url, detail: detail.slice(0, 300) });

  /** For what the stage holds: nobody but the stage has to know how it went. */
  const stageListener = (
    what: string,
    url: () => string,
    faulty: (detail: string) => void,
  ): GuestListener => ({
    said(word, detail) {
      if (word !== 'ran') faulty(detail ?? word);
    },
    held: faulty,
    crashed(reason) {
      log.warn(`${what} ended`, { reason });
      tellBroken(url(), `its process ended: ${reason}`);
    },
  });

  async function openForStage(
    kind: 'banner' | 'page',
    id: string,
    content: string,
    onError: (detail: string) => void,
    banner?: BannerListener,
  ): Promise<{ url: string; partition: string }> {
    let url = '';
    let lines = 0;
    const faulty = (detail: string) => {
      lines += 1;
      if (lines <= MOST_FAULTS) onError(detail.slice(0, 200));
    };
    const listener = stageListener(kind === 'page' ? 'a page in the loop' : 'a banner', () => url, faulty);
    const guest = await openGuest(kind, id, content, listener, { banner: banner ?? null, faulty });
    url = guest.url;
    return { url, partition: guest.visit.partition };
  }

  return {
    attached,
    endDrawn: drawn.end,
    endScripts() {
      const scripts = [...guests].filter(({ kind, contents }) => kind === 'beacon' && contents !== null);
      for (const guest of scripts) endAll(guest);
      return scripts.length > 0;
    },
    async open(id, script, listener) {
      const appeared = Promise.withResolvers<void>();
      const guest = await openGuest('beacon', id, script, listener, { attached: appeared.resolve });
      const { url, visit } = guest;
      const cancel = schedule(ATTACH_DEADLINE_MS, () =>
        appeared.reject(new Error('the guest did not appear in time')),
      );
      stage.guest({ type: 'open', guest: id, url, partition: visit.partition });
      await appeared.promise.finally(cancel);
    },
    openBanner: (id, html, banner) => openForStage('banner', id, html, banner.faulty, banner),
    showBanner(id, isShown) {
      // An earlier try of the same banner may still be ending.
      const guest = [...guests].findLast((each) => each.id === id);
      if (guest?.contents) tellViewable(guest.contents, isShown);
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
        const guest = [...guests].find((each) => each.id === id);
        if (!guest) {
          done();
          return;
        }
        const end = () => {
          cancel();
          guest.hurry = null;
          done();
        };
        const cancel = schedule(ms, end);
        guest.hurry = end;
      });
    },
    close(id, stuck) {
      stage.guest({ type: 'close', guest: id });
      for (const guest of guests) {
        if (guest.id !== id) continue;
        if (guest.contents === null) forget(guest);
        else if (stuck) crash(guest);
        else schedule(LAST_WORDS_MS, () => crash(guest));
      }
    },
  };
}

/** Hosts of guests are nobody's but their own: no name server is asked for them. */
const withoutGuests = (fence: Fence): Fence => ({
  async resolve(url, purpose) {
    if (!/\.localhost\.?$/.test(url.hostname)) return fence.resolve(url, purpose);
    return { ok: false, code: 'fenced', message: `${url.hostname} is not a host of this page` };
  },
});

/** Of a page without network (rule 13): no name is looked up for it, and nothing is reached. */
const NO_NETWORK: Fence = {
  resolve: async ({ hostname }) => ({
    ok: false,
    code: 'fenced',
    message: `${hostname} was asked for by a page, which has no network`,
  }),
};

/**
 * Whether a line of a page's console is the browser's word of an error that nothing handled, or of a
 * violation of the page's policy. A page that writes such a line itself says it of itself alone.
 */
const isGuestError = (line: string) => /^Uncaught |Content Security Policy/.test(line);

/** Tells a banner's MRAID container whether the banner is on the screen. */
function tellViewable(contents: WebContents, isViewable: boolean): void {
  if (contents.isDestroyed()) return;
  const event = isViewable ? VIEWABLE_EVENTS.shown : VIEWABLE_EVENTS.gone;
  contents
    .executeJavaScriptInIsolatedWorld(OWN_WORLD, [{ code: `dispatchEvent(new Event('${event}'))` }])
    .catch(() => {});
}

/** Lowers the priority of a process. */
function giveWay(pid: number): void {
  try {
    if (pid > 0) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not let us.
  }
}

/** Where an address leads, without what it may carry. */
function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === 'null' ? (parsed?.protocol ?? 'nowhere') : parsed.origin;
}
