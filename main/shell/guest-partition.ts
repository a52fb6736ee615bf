import { session as sessions, type WebContents, type WebPreferences } from 'electron';
import { GUEST_SCHEME } from '../../shared/channels';
import type { GuestCommand } from '../../shared/guests';
import type { Log } from '../../shared/log';
import { GUEST_POLICY, guestFile } from '../beacons/guest-page';
import type { GuestHost, GuestListener } from '../beacons/js-guests';
import { fenceSession, fenceWebRtc } from './fenced-session';
import { denyPermissions } from './lock-down';

/** One in-memory partition for all beacon guests: sessions made again and again leak. */
const PARTITION = 'beacon-guests';
const ATTACH_DEADLINE_MS = 5_000;

/** What a banner does that concerns a click (rule 18). */
export interface BannerListener {
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It wanted to go somewhere; it was held. */
  navigated(): void;
}

export interface GuestPartition extends GuestHost {
  /** Readies a guest that a native card will hold itself: a banner of markup. */
  openBanner(guest: string, html: string, listener: BannerListener): { url: string; partition: string };
  /** For `will-attach-webview` of the kiosk window: true for exactly the guest that was asked for. */
  admit(preferences: WebPreferences, params: Record<string, string>): boolean;
  /** For `did-attach-webview` of the kiosk window. */
  attached(contents: WebContents): void;
}

interface OpenGuest {
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
  readonly send: (command: GuestCommand) => void;
  readonly log: Log;
}): Promise<GuestPartition> {
  const { send, log } = options;
  const session = sessions.fromPartition(PARTITION);
  const guests = new Map<string, OpenGuest>();
  denyPermissions(session);
  await fenceSession(session, options.proxyPort);
  session.protocol.handle(GUEST_SCHEME, (request) => {
    const url = new URL(request.url);
    const guest = guests.get(url.host);
    if (!guest) return new Response(null, { status: 404 });
    if (url.pathname === '/report') {
      const word = url.searchParams.get('word') === 'ran' ? 'ran' : 'threw';
      guest.listener.said(word, url.searchParams.get('detail') || null);
      return new Response(null, { status: 204 });
    }
    const file = guestFile(url.pathname, guest.script);
    if (!file) return new Response(null, { status: 404 });
    return new Response(file.body, {
      headers: {
        'content-type': file.type,
        'content-security-policy': GUEST_POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    });
  });
  const addressOf = (guest: string) => `${GUEST_SCHEME}://${guest}/`;

  return {
    admit(preferences, params) {
      const guest = [...guests.keys()].find((id) => addressOf(id) === params.src);
      if (guest === undefined || params.partition !== PARTITION || guests.get(guest)?.contents) return false;
      // Nothing of what the page asked for is kept: the preferences are built anew.
      for (const name of Object.keys(preferences)) delete (preferences as Record<string, unknown>)[name];
      Object.assign(preferences, {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        devTools: false,
        disableDialogs: true,
        spellcheck: false,
        navigateOnDragDrop: false,
        autoplayPolicy: 'document-user-activation-required',
        partition: PARTITION,
      } satisfies WebPreferences);
      return true;
    },
    attached(contents) {
      fenceWebRtc(contents);
      contents.setAudioMuted(true);
      const claim = () => {
        const host = URL.parse(contents.getURL())?.host;
        const guest = host === undefined ? undefined : guests.get(host);
        if (!guest) return;
        if (guest.contents === contents) return;
        guest.contents = contents;
        guest.attached();
        const { banner } = guest;
        if (!banner) return;
        contents.on('input-event', (_event, { type }) => banner.input(type));
        contents.on('will-navigate', banner.navigated);
        contents.on('did-create-window', banner.navigated);
      };
      contents.on('did-start-navigation', claim);
      contents.on('did-navigate', claim);
      contents.on('render-process-gone', (_event, { reason }) => {
        for (const guest of guests.values()) if (guest.contents === contents) guest.listener.crashed(reason);
      });
    },
    openBanner(id, html, banner) {
      const listener: GuestListener = {
        said() {},
        crashed: (reason) => log.warn('a banner ended', { reason }),
      };
      guests.set(id, { script: html, listener, attached() {}, banner, contents: null });
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
        guests.set(id, { script, listener, attached, banner: null, contents: null });
        send({ type: 'open', guest: id, url: addressOf(id), partition: PARTITION });
      });
    },
    close(id, stuck) {
      const contents = guests.get(id)?.contents;
      guests.delete(id);
      send({ type: 'close', guest: id });
      // An endless loop does not hear that its element is gone.
      if (stuck && contents && !contents.isDestroyed()) contents.forcefullyCrashRenderer();
      if (guests.size === 0) {
        session
          .clearStorageData()
          .catch((fault: unknown) => log.warn('the guests left something behind', { fault }));
      }
    },
  };
}
