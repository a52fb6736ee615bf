import type { WebContents } from 'electron';
import type { LinkEvent } from '../../shared/link';
import { watchMemory } from './guest-memory';
import { LinkFrameSender } from './link-frame-sender';
import { LinkKeyboard } from './link-keyboard';
import type { LinkViewParts } from './link-view-parts';
import { createLinkVisits } from './link-visits';
import { LinkWindows } from './link-windows';
import { type Excess, LINK_BOUNDS } from './memory-bounds';
import type { Visit } from './partition-pool';
import { finalAddress, MOST_QR_BYTES, qrRows } from './qr-code';

export type LinkView = ReturnType<typeof createLinkView>;

/**
 * The shopper's browser for what an ad links to (rule 18): a partition in memory
 * behind the egress policy (rule 22), a way back, and an end after a minute without a
 * touch. Nothing of a visit outlives it. A window that a page opens lies over that page
 * until it closes, so that a sign-in window can reach its opener, and SameSite holds.
 *
 * The page is a view of its own over the window. Electron can place and size such a view, but not turn it; so where
 * the picture is turned, the page is a guest in the kiosk page, and only windows that it opens lie unturned.
 */
export function createLinkView(parts: LinkViewParts) {
  const { send, schedule, log } = parts;
  /** Reasons why no visit may begin. Checked on every call, because a tap may arrive after a reason began. */
  const held = new Set<string>();
  /** The visit that was entered last; it may have ended. */
  let entered: Visit | null = null;
  const frame = new LinkFrameSender({ ...parts, onIdle: () => leave(false) });
  const keyboard = new LinkKeyboard({ ...parts, onField: (field) => frame.showKeyboard(field) });
  const windows = new LinkWindows({
    ...parts,
    keyboard,
    showGuest: (guest) => frame.showGuest(guest),
    onContents(into, contents) {
      entered = into;
      parts.onContents(contents);
      lookAtMemory();
    },
    onPage: {
      isShown: () => frame.content?.kind === 'page',
      changed: (url, state) => frame.show({ kind: 'page', url, state }),
      touched(type) {
        frame.touched(type);
        parts.onTouched(type);
      },
      closed: () => leave(true),
    },
  });
  const visits = createLinkVisits(parts, () => windows.crashAll());

  function* watched() {
    if (frame.content === null || entered === null || windows.isEmpty) return;
    yield {
      processes: entered.processes,
      end(excess: Excess) {
        log.warn('a page of the link view took too much memory; the visit was ended', { ...excess });
        leave(false);
      },
    };
  }
  const lookAtMemory = watchMemory(watched, LINK_BOUNDS, schedule);

  function leave(wayBack: boolean): void {
    if (!frame.end()) return;
    keyboard.hide();
    windows.closeAll();
    send({ frame: null });
    visits.leave();
    parts.onClosed(wayBack);
  }

  async function openPage(url: string): Promise<void> {
    frame.show({ kind: 'page', url, state: 'loading' });
    const entering = visits.enter();
    const here = await entering;
    if (!visits.isCurrent(entering) || !frame.isOnPage(url)) return; // Left meanwhile.
    windows.open(here, url);
  }

  /** The address that a phone should open. */
  async function followed(url: string, entering: Promise<Visit>): Promise<string> {
    const here = await entering;
    if (!visits.isCurrent(entering)) return url; // Left meanwhile.
    const address = await finalAddress(windows.hidden(here), url, schedule);
    // If the final address is too long, use the original one: the phone follows its redirects.
    return Buffer.byteLength(address) > MOST_QR_BYTES ? url : address;
  }

  async function showAddress(url: string, title: string | null): Promise<void> {
    frame.show({ kind: 'page', url, state: 'loading' });
    const entering = visits.enter();
    const target = await followed(url, entering).catch(() => url);
    const rows = await qrRows(target);
    // Another shopper may be there by now.
    if (frame.content === null || !visits.isCurrent(entering)) return;
    if (rows !== null) frame.show({ kind: 'code', rows, target, title });
    else {
      log.warn('an address is too long for a QR code', { length: target.length });
      leave(false);
    }
  }

  async function showText(text: string, title: string | null): Promise<void> {
    const rows = await qrRows(text);
    if (held.size > 0) return;
    if (rows !== null) frame.show({ kind: 'code', rows, target: text, title });
    else log.warn('a text is too long for a QR code', { length: text.length });
  }

  return {
    /** `open`, `continueOnPhone` and `showCode`: see `LinkOpener`. */
    open(url: string) {
      if (held.size > 0) return;
      openPage(url).catch((error: unknown) => {
        log.error('the link view could not be opened', { error });
        leave(false);
      });
    },
    continueOnPhone(url: string, title: string | null) {
      if (held.size > 0) return;
      showAddress(url, title).catch((error: unknown) => {
        log.error('no QR code could be made of an address', { error });
        leave(false);
      });
    },
    showCode(text: string, title: string | null) {
      showText(text, title).catch((error: unknown) =>
        log.error('no QR code could be made of a text', { error }),
      );
    },
    onEvent(event: LinkEvent) {
      if (event.type === 'back') leave(true);
      else if (event.type === 'moreTime') frame.giveMoreTime();
      else if (event.type === 'key') keyboard.press(event.key);
      else if (event.type === 'hideKeyboard') keyboard.hide();
      else windows.setBounds(event);
    },
    /** An input event on the frame around the page. */
    touched: (type: string) => frame.touched(type),
    /** While any reason holds there is no visit: the one under way ends, and none begins. */
    hold(reason: string, holds: boolean) {
      if (holds) held.add(reason);
      else held.delete(reason);
      if (holds) leave(false);
    },
    /** Ends a visit whose page may have harmed the kiosk (rule 11). Returns whether there was a page. */
    endSuspect() {
      if (frame.content === null || windows.isEmpty) return false;
      log.warn('a page of the link view may have harmed the kiosk; the visit was ended');
      leave(false);
      return true;
    },
    /** A guest was attached to the kiosk page. Returns whether it is a page of this view. */
    attached: (contents: WebContents) => windows.attached(contents),
    /** Ends the visit, for shutdown. */
    close: () => leave(false),
  };
}
