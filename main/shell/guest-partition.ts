import { app, session as sessions, type WebContents, type WebPreferences } from 'electron';
import { GUEST_SCHEME } from '../../shared/channels';
import type { GuestCommand } from '../../shared/guests';
import type { Log } from '../../shared/log';
import { type GuestKind, guestFile, POLICIES } from '../beacons/guest-page';
import type { GuestHost, GuestListener } from '../beacons/js-guests';
import type { Schedule } from '../service/schedule';
import type { DrawnGuests } from './drawn-guests';
import { noteEndedByMain } from './ended-by-main';
import { fenceSession, fenceWebRtc } from './fenced-session';
import { awaitPaint } from './guest-paint';
import { denyPermissions, UNTRUSTED_PAGE } from './lock-down';
import { forbidChoosers } from './no-choosers';
import { endTheLoud } from './noise';

/** One in-memory partition for all beacon guests: sessions made again and again leak. */
const PARTITION = 'beacon-guests';
const ATTACH_DEADLINE_MS = 5_000;
/** Far more than a beacon or a banner needs; what takes more is ended before the kiosk suffers, kB. */
const MOST_MEMORY_KB = 400 * 1024;
const MEMORY_LOOK_MS = 250;
/** What has not ended this long after its element went is crashed, ms. */
const LAST_WORDS_MS = 1_000;
/** A page that the stage does not hold by then is not wanted any more, ms. */
const PAGE_UNHELD_MS = 60_000;

/** What a banner does that concerns a click (rule 18). */
export interface BannerListener {
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It wanted to go somewhere; it was held. */
  navigated(url: string): void;
}

export interface GuestPartition extends GuestHost {
  /** Readies a guest that a native card will hold itself: a banner of markup. */
  openBanner(guest: string, html: string, listener: BannerListener): { url: string; partition: string };
  /**
   * Readies a guest for a page in the loop, which a layer of the stage will hold. What is
   * seen of it is told to the stage; it is closed when its element goes, or never came.
   */
  openPage(guest: string, html: string): { url: string; partition: string };
  /** For `will-attach-webview` of the kiosk window: true for exactly the guest that was asked for. */
  admit(preferences: WebPreferences, params: Record<string, string>): boolean;
  /** For `did-attach-webview` of the kiosk window. */
  attached(contents: WebContents): void;
}

interface OpenGuest {
  readonly kind: GuestKind;
  readonly script: string;
  readonly listener: GuestListener;
  readonly attached: () => void;
  readonly banner: BannerListener | null;
  contents: WebContents | null;
}

/**
 * The partition that JavaScript beacons run in (rule 17): no permissions, no
 * downloads, no storage, every request through the fence (rule 22).
 *
 * @param send passes a command to the kiosk window, which holds the `<webview>`
 */
export async function openGuestPartition(options: {
  readonly proxyPort: number;
  /** Whether the fence kept this host out before. */
  readonly isFenced: (hostname: string) => boolean;
  readonly send: (command: GuestCommand) => void;
  readonly drawn: Pick<DrawnGuests, 'watch'>;
  readonly schedule: Schedule;
  readonly log: Log;
}): Promise<GuestPartition> {
  const { send, schedule, log } = options;
  const session = sessions.fromPartition(PARTITION);
  const guests = new Map<string, OpenGuest>();
  const ears = new WeakMap<WebContents, (word: string) => void>();
  denyPermissions(session);
  await fenceSession(session, options.proxyPort);
  // No cookies, neither way: nothing to recognise this kiosk or its shoppers by.
  session.webRequest.onBeforeSendHeaders(({ requestHeaders }, proceed) => {
    proceed({ requestHeaders: without(requestHeaders, 'cookie') });
  });
  session.webRequest.onHeadersReceived(({ responseHeaders }, proceed) => {
    proceed({ responseHeaders: without(responseHeaders ?? {}, 'set-cookie') });
  });
  const tellFenced = (details: { readonly webContentsId?: number; readonly url: string }) => {
    const hostname = URL.parse(details.url)?.hostname ?? '';
    if (!options.isFenced(hostname)) return;
    for (const { contents, listener } of guests.values()) {
      if (contents?.isDestroyed() === false && contents.id === details.webContentsId)
        listener.held(`the fence: ${hostname}`);
    }
  };
  // How a proxy that refuses looks: to https as a tunnel that fails, to http as an answer.
  session.webRequest.onErrorOccurred(tellFenced);
  session.webRequest.onCompleted((details) => {
    if (details.statusCode === 403) tellFenced(details);
  });
  session.protocol.handle(GUEST_SCHEME, (request) => {
    const url = new URL(request.url);
    const guest = guests.get(url.host);
    if (!guest) return new Response(null, { status: 404 });
    if (guest.contents) ears.get(guest.contents)?.(url.href);
    if (url.pathname === '/report' && guest.kind !== 'page') {
      hear(guest.listener, url.searchParams.get('word'), url.searchParams.get('detail') || null);
      return new Response(null, { status: 204 });
    }
    const { kind } = guest;
    const file = guestFile(url.pathname, guest.script, kind);
    if (!file) return new Response(null, { status: 404 });
    return new Response(file.body, {
      headers: {
        'content-type': file.type,
        'content-security-policy': POLICIES[kind],
        // A window of its own would float above the kiosk.
        'permissions-policy': 'picture-in-picture=()',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  });
  let isLooking = false;

  /** A script can take memory faster than it can be told to stop. */
  function lookAtMemory(): void {
    if (isLooking || guests.size === 0) return;
    isLooking = true;
    schedule(MEMORY_LOOK_MS, () => {
      isLooking = false;
      const sizes = new Map(app.getAppMetrics().map(({ pid, memory }) => [pid, memory.workingSetSize]));
      for (const { contents } of guests.values()) {
        if (!contents || contents.isDestroyed()) continue;
        const size = sizes.get(contents.getOSProcessId()) ?? 0;
        if (size <= MOST_MEMORY_KB) continue;
        log.warn('a guest took too much memory; it was ended', { megabytes: Math.round(size / 1024) });
        noteEndedByMain(contents);
        contents.forcefullyCrashRenderer();
      }
      lookAtMemory();
    });
  }

  /** An endless loop does not hear that its element is gone; its process would go on for half a minute. */
  function endProcess(pid: number): void {
    const isShared = [...guests.values()].some(
      ({ contents }) => contents?.isDestroyed() === false && contents.getOSProcessId() === pid,
    );
    const isAlive = app.getAppMetrics().some((process) => process.pid === pid && process.type === 'Tab');
    if (isAlive && !isShared) process.kill(pid, 'SIGKILL');
  }

  /** Tells the stage what is seen of a page, and ends its process once its element is gone. */
  function watchPage(id: string, contents: WebContents): void {
    const url = addressOf(id);
    const pid = contents.getOSProcessId();
    contents.once('did-finish-load', () => {
      void awaitPaint(contents, schedule, () => send({ type: 'painted', url }));
    });
    contents.on('did-fail-load', (_event, _code, detail, _url, isMainFrame) => {
      if (isMainFrame) send({ type: 'broken', url, detail: `it could not be loaded: ${detail}` });
    });
    contents.once('destroyed', () => {
      guests.delete(id);
      // It may have closed itself; a layer that let go of it hears nothing any more.
      send({ type: 'broken', url, detail: 'it is closed' });
      schedule(LAST_WORDS_MS, () => endProcess(pid));
    });
  }

  const addressOf = (guest: string) => `${GUEST_SCHEME}://${guest}/`;

  return {
    admit(preferences, params) {
      const guest = [...guests.keys()].find((id) => addressOf(id) === params.src);
      if (guest === undefined || params.partition !== PARTITION || guests.get(guest)?.contents) return false;
      // Nothing of what the page asked for is kept: the preferences are built anew.
      for (const name of Object.keys(preferences)) delete (preferences as Record<string, unknown>)[name];
      Object.assign(preferences, {
        ...UNTRUSTED_PAGE,
        autoplayPolicy: 'document-user-activation-required',
        partition: PARTITION,
      } satisfies WebPreferences);
      return true;
    },
    attached(contents) {
      fenceWebRtc(contents);
      contents.setAudioMuted(true);
      const measure = endTheLoud(contents, schedule, log);
      ears.set(contents, measure);
      const claim = () => {
        const host = URL.parse(contents.getURL())?.host;
        const guest = host === undefined ? undefined : guests.get(host);
        if (!guest) return;
        if (guest.contents === contents) return;
        guest.contents = contents;
        guest.attached();
        if (guest.kind === 'page' && host !== undefined) watchPage(host, contents);
        if (guest.kind !== 'beacon' && host !== undefined) options.drawn.watch(addressOf(host), contents);
        const { banner } = guest;
        if (guest.kind === 'beacon') {
          contents.on('will-frame-navigate', ({ url }) => guest.listener.held(`it went to ${originOf(url)}`));
          contents.setWindowOpenHandler(({ url }) => {
            guest.listener.held(`it opened ${originOf(url)}`);
            return { action: 'deny' };
          });
        }
        if (!banner) return;
        // It alone of all guests can be tapped. Its page is on its way, and none is there yet.
        forbidChoosers(contents, log);
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
      };
      contents.on('did-start-navigation', claim);
      contents.on('did-navigate', claim);
      contents.on('render-process-gone', (_event, { reason }) => {
        for (const guest of guests.values()) if (guest.contents === contents) guest.listener.crashed(reason);
      });
    },
    openPage(id, html) {
      const url = addressOf(id);
      const broken = (detail: string) => send({ type: 'broken', url, detail: detail.slice(0, 300) });
      const listener: GuestListener = {
        said() {},
        held() {},
        crashed(reason) {
          log.warn('a page in the loop ended', { reason });
          broken(`its process ended: ${reason}`);
        },
      };
      guests.set(id, { kind: 'page', script: html, listener, attached() {}, banner: null, contents: null });
      // Superseded before the stage held it: nothing of it will ever go.
      schedule(PAGE_UNHELD_MS, () => {
        if (guests.get(id)?.contents === null) guests.delete(id);
      });
      lookAtMemory();
      return { url, partition: PARTITION };
    },
    openBanner(id, html, banner) {
      const listener: GuestListener = {
        said() {},
        held() {},
        crashed(reason) {
          log.warn('a banner ended', { reason });
          send({ type: 'broken', url: addressOf(id), detail: `its process ended: ${reason}` });
        },
      };
      guests.set(id, { kind: 'banner', script: html, listener, attached() {}, banner, contents: null });
      lookAtMemory();
      return { url: addressOf(id), partition: PARTITION };
    },
    async open(id, script, listener) {
      await new Promise<void>((resolve, reject) => {
        const deadline = setTimeout(
          () => reject(new Error('the guest did not appear in time')),
          ATTACH_DEADLINE_MS,
        );
        const attached = () => {
          clearTimeout(deadline);
          resolve();
        };
        guests.set(id, { kind: 'beacon', script, listener, attached, banner: null, contents: null });
        lookAtMemory();
        send({ type: 'open', guest: id, url: addressOf(id), partition: PARTITION });
      });
    },
    close(id, stuck) {
      const contents = guests.get(id)?.contents;
      const pid = contents?.isDestroyed() === false ? contents.getOSProcessId() : null;
      guests.delete(id);
      send({ type: 'close', guest: id });
      const end = () => {
        if (contents && !contents.isDestroyed()) {
          noteEndedByMain(contents);
          contents.forcefullyCrashRenderer();
        } else if (pid !== null) endProcess(pid);
      };
      if (stuck) end();
      else schedule(LAST_WORDS_MS, end);
      if (guests.size === 0) {
        session
          .clearStorageData()
          .catch((fault: unknown) => log.warn('the guests left something behind', { fault }));
      }
    },
  };
}

/** A page may say anything: what is not understood is no good word. */
function hear(listener: GuestListener, word: string | null, detail: string | null): void {
  if (word === 'held') listener.held(`the page's policy: ${detail}`);
  else listener.said(word === 'ran' || word === 'not-loaded' ? word : 'threw', detail);
}

/** Where an address leads, without what it may carry. */
function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === 'null' ? (parsed?.protocol ?? 'nowhere') : parsed.origin;
}

function without<T>(headers: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}
